"""Many devices by plain git: notes merged fact by fact, and what one device has brought to the
others."""
