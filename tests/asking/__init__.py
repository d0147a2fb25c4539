"""Tests of queries."""
