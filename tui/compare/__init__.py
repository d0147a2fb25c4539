"""Compares two results on screen: choosing the other one, and showing the differences."""
