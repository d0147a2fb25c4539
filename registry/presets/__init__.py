"""Saved arguments of a tool: as JSON text, as named presets, and as files to share."""
