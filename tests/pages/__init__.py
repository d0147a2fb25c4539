"""The pages of objects."""
