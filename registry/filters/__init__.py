"""One way to write conditions on a line: ``failed created>-7d !currency:eur "two words"``.

A line is words and conditions, and all of them must hold; ``docs/filters.md`` has the page for people. What reads lines takes
them apart here and decides itself what fields there are and what they compare: rows of a table, past calls, incidents,
search queries. Nothing here knows a field, a tool or a clock.
"""
