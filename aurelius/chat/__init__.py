"""Talking to the notes: a typed line becomes an answer with its lines, or a change to agree to."""
