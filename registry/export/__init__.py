"""Answers and lists as files: JSON, NDJSON, CSV, Parquet."""
