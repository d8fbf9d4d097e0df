"""Uses written down, tiers, decay, summaries."""
