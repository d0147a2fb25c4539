"""How values from outside are shown to people: safe text, moments, amounts."""
