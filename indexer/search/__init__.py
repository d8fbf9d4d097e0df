"""A question → ranked hits."""
