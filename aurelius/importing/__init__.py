"""What other programs keep, brought into the vault: notes and conversations as they were, facts as
proposals."""
