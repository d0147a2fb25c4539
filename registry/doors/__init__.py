"""The front ends without a screen: the command line, MCP, and the servers."""
