"""Every method and path of the payments API, as tables: what it answers with, whose it is and how it can be narrowed."""
