"""The person's own language model: what it is sent, what it answers, and what of that is true."""
