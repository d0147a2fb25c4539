"""Connections: the base URLs, credentials and policy of calls."""
