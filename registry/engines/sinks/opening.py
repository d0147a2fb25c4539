"""The sink of an address."""

from __future__ import annotations

from registry.engines.sinks.address import Address, DuckDBTable, ParquetFolder, PostgresTable
from registry.engines.sinks.sink import Sink


def sink_of(address: Address) -> Sink:
    """The sink of an address, not opened yet.

    Raises:
        NotStored: its library is not installed; says how to get it.
    """
    if isinstance(address, DuckDBTable):
        from registry.engines.sinks.duckdb_table import DuckDBSink

        return DuckDBSink(address)
    if isinstance(address, PostgresTable):
        from registry.engines.sinks.postgres_table import PostgresSink

        return PostgresSink(address)
    from registry.engines.sinks.parquet_parts import ParquetSink
    from registry.engines.sinks.part_store import FolderStore, ObjectStore

    return ParquetSink(FolderStore(address) if isinstance(address, ParquetFolder) else ObjectStore(address))
