"""Only what a process that stays needs; delete it and every answer is the same, slower."""
