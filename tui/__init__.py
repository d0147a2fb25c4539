"""The screens. Nothing here builds a request, opens a socket or reads a secret: that is the registry's."""
