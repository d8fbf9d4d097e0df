"""The index file: tables, the only SQL that writes, the lock."""
