"""Compares two results: what was added, removed, changed and moved."""
