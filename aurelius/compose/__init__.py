"""Note bytes in, note bytes out; no disk, no index."""
