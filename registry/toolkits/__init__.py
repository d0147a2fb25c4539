"""The built-in toolkits: one folder each with its service, its tools, and further data."""
