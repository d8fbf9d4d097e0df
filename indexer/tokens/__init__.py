"""Text → search terms, token ids, vectors; knows no notes."""
