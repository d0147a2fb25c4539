"""SQL over lists and files: DuckDB, in memory, with columns whose types hold every value exactly.

Named sources (items as JSON texts, or files) become tables or views of one `Database`; a query goes in as text; rows come out
as JSON texts. A query can read only these: once the sources are there, DuckDB's access to files, networks and extensions is
disabled, and its settings are locked. The package knows no tool, account, history or screen, and makes no call; who opens a
database decides what its tables are. DuckDB is imported when a database is opened, and by nothing else.
"""
