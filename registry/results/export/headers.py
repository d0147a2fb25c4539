"""The headers of a response as text, secrets redacted."""

from __future__ import annotations

import json

from registry.accounts.secrets import MASK
from registry.calling.result import Result
from registry.calling.sensitive import is_sensitive
from registry.text.safe_text import visible_line

_SESSIONS = ("set-cookie", "cookie", "authorization", "proxy-authorization", "www-authenticate")


def header_lines(result: Result) -> list[str]:
    """A line for each header, by name."""
    return [visible_line(f"{name}: {_value(name, value)}") for name, value in sorted(result.headers.items())]


def _value(name: str, value: str) -> str:
    return MASK if name in _SESSIONS or is_sensitive(json.dumps(name), json.dumps(value)) else value
