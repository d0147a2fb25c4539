"""The payments service of the sandbox: an API and a files host over one world of objects."""
