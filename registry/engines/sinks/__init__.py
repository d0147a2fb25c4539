"""Writes items to sinks: Parquet files in a folder or an object store, a table in DuckDB, a table in PostgreSQL.

The steps: an address (`address`) → a sink (`opening`, `sink`); items, each as the received JSON text, in batches → columns that
grow (`columns`) → one step of the sink for each batch (`writer`): the rows, and the record of the run's progress, so that an
interrupted run can be continued without a lost or duplicate row (`sync`).

A row's key is its item's id: an item that comes again replaces its row. Values are exact: if the values of a column change
their type, the column gets a type that holds all of them.

Sinks do not know tools, accounts or requests, and send none. The libraries are extras, imported when a sink is made.
"""
