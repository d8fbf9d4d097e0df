"""The long-running process of a vault, and its client."""
