"""The user administration of a CRM."""
