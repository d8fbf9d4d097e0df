"""Two lines: same, changed, both hold or unknown; pure, no disk, no index."""
