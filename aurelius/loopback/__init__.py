"""Servers on this computer alone, and the guard in front of them."""
