"""The user administration of the CRM: data, and the functions that its files name."""
