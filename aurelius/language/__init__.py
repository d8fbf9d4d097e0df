"""What an English line says: same, new, about what."""
