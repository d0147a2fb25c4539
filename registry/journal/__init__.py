"""What the program remembers of its calls."""
