"""Where calls go and with what credentials."""
