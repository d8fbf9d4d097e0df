"""Pages for the person: what a browser asks, answered."""
