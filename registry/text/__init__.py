"""How values from outside are shown to people: safe text, times, amounts."""
