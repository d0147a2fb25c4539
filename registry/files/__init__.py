"""Files of the program: atomic writes, locks, crash reports."""
