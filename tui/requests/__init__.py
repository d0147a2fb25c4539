"""The last requests: timings, retries, and rate limits."""
