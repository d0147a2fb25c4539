"""Tests of finding: from words and pasted text to tools, ready calls and objects."""
