"""Every method and path of the payments API, as tables: what it returns, its owner, and its filters."""
