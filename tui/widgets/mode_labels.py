"""What an account reaches, in words and colours, the same wherever it is told. Only live data has the live colour."""

from __future__ import annotations

MODES = {"sandbox": "sandbox", "test": "test data", "live": "LIVE data"}
COLOURS = {"sandbox": "$text-muted", "test": "$text-warning", "live": "bold $live"}
