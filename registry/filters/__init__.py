"""The grammar of filters on a line: ``failed created>-7d !currency:eur "two words"``.

A line consists of words and conditions, all of which must be true; ``docs/filters.md`` describes it for users. This package
parses lines; its callers decide which fields exist and what they compare: table rows, history, incidents, search queries.
"""
