"""What the index knows, read only."""
