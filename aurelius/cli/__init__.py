"""A command line → one call → show."""
