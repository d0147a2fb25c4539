"""Writes items to sinks: Parquet files in a folder or an object store, a table in DuckDB, a table in PostgreSQL.

What flows: an address (`address`) → a sink (`opening`, `sink`); items, each the JSON text that came, in batches → columns that
grow (`columns`) → one step of the sink for each batch (`writer`): the rows, and the record of how far the run is, so that
a run which ends in the middle, however it ends, goes on without a row lost or doubled (`sync`).

A row's key is its item's id: an item that comes again replaces its row. Values are exact: a column whose values change their
type becomes one that holds them all.

No sink knows a tool, an account or a request; nothing here sends one. The libraries are extras, imported when a sink is made.
"""
