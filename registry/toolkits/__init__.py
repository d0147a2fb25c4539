"""A folder for each toolkit that comes with Callboard: its data, and the few functions that data cannot say."""
