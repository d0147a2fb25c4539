"""The incident-management service: data, and the functions that its files name."""
