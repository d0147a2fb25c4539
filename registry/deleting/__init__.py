"""Deletions and changes: checking before, sending once, and finding out the outcome."""
