"""The on-call dashboard."""
