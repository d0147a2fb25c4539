"""The page of an object: what it is, what needs attention, what belongs to it, when it happened."""
