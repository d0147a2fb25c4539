"""The payments platform: data, and the functions that its files name."""
