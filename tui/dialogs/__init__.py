"""Screens that ask or tell something and go away."""
