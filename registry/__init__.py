"""Callboard's engine: what can be called, and one way to call it. No screen lives here."""

__version__ = "0.1.0"  # the only place: the build reads it from here
