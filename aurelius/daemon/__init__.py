"""The process that stays, and its client."""
