"""Toolkits made of OpenAPI documents."""
