"""What an English line says: its sentences, what it states, what is a secret."""
