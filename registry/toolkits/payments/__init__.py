"""A payments platform."""
