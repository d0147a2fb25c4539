"""Two answers side by side on screen: choosing the other one, and reading what differs."""
