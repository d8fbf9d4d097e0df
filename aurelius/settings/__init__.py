"""Where things are and what the person has set."""
