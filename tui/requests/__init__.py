"""The last requests: where their time went, what was tried again, and what the services say of their limits."""
