"""The search query language of the payments API: its grammar, the fields that can be searched, and the search itself."""
