"""indexer reads a vault and writes rows; it never writes a note."""
