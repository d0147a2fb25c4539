"""The CRM's user administration: users, roles and teams of one account."""
