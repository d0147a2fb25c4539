"""Fetches whole lists: every page of a list tool, one after the other, with the items on disk."""
