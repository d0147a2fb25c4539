"""What a connection reaches, in words and colours, the same wherever it is told."""

from __future__ import annotations

MODES = {"sandbox": "sandbox", "test": "test data", "live": "LIVE data"}
COLOURS = {"sandbox": "$text-success", "test": "$text-warning", "live": "bold $text-error"}
