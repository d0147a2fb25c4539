"""The built-in toolkits: a folder each with its service, its tools, and further data on them."""
