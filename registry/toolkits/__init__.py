"""The toolkits that ship: a folder each with its service, its tools, and what else is known of them."""
