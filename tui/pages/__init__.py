"""The page of an object: its headline, attention, related objects, and timeline."""
