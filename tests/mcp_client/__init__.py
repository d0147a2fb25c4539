"""Tests of MCP servers as toolkits."""
