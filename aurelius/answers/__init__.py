"""The parts of Vault's reading methods."""
