"""The usage log read and added up; tiers as formulas."""
