"""Signing in: an OAuth 2.0 authorization server for the incident service and one for the CRM.

They are one engine with a table of differences (`tokens`).
"""
