"""Deletions: looking before, deleting once, and finding out what became of it."""
