"""A call as text that others can run: curl, Python, the command line."""
