"""Callboard's engine: what can be called, and one way to call it. No screen lives here."""
