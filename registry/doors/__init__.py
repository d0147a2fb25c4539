"""The ways in that need no screen."""
