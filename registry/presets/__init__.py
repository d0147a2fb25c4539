"""A tool's arguments as something to keep: as JSON text, in sets under a name, and as files to share."""
