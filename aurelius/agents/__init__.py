"""Doors for agents: what a client program asks, answered."""
