"""Deletions and changes: checking first, sending once, and finding out the outcome."""
