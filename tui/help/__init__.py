"""The help texts for the focused widget: what it does, its keys, and the meaning of its words and signs."""
