"""The grammar of filters on a line: ``failed created>-7d !currency:eur "two words"``.

A line is words and conditions, and all of them must hold; ``docs/filters.md`` has the page for people. This package parses
lines; its callers decide which fields there are and what they compare: table rows, history, incidents, search queries.
"""
