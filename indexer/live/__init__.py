"""Parts that only a long-running process needs; without them every answer is the same, but
slower."""
