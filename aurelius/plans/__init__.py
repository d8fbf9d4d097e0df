"""What a writing command is going to do; only `plan` carries it out."""
