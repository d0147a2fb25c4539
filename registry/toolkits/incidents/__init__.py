"""An incident-management service."""
