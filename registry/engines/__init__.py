"""Engines for many items: Parquet folders and object stores, DuckDB, PostgreSQL; SQL over them."""
