"""Whole lists: every page of a tool that lists, one after the other, with the items on disk."""
