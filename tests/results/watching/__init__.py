"""Tests of watching a result."""
