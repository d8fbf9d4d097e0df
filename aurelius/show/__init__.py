"""Values → text and JSON."""
