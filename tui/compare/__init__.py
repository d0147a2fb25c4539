"""Compares two results on screen: lets the user choose the other one, and shows the differences."""
