"""What a writing command is going to do; nothing here writes."""
