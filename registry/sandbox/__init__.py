"""The three services, embedded: an ASGI application with real state, reached over HTTP only.

Nothing here knows the catalogue. Paths, names and shapes are written from how the real services speak, so that a mistake in
the catalogue answers as it would outside.
"""
