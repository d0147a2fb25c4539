"""SQL over lists and files: DuckDB, in memory, with columns whose types hold every value exactly.

Named sources (items as JSON texts, or files) become tables or views of one `Database`; a query is text; rows are returned as
JSON texts. A query can read only these sources: after they were added, DuckDB's access to files, networks and extensions is
disabled, and its settings are locked. The package knows no tool, account, history or screen, and makes no call; the caller who
opens a database decides what its tables are. DuckDB is imported only when a database is opened.
"""
