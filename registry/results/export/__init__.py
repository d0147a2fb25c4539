"""Exports results and lists to files: JSON, NDJSON, CSV, Parquet."""
