"""Files of the program: written whole or not at all, locks, crash reports."""
