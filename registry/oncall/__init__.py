"""What the incident toolkit's answers mean to whoever is on call. No screen, no clock of its own; nothing is changed."""
