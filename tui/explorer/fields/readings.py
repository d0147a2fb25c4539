"""What a typed value becomes: the moment that a time stands for, in words."""

from __future__ import annotations

from datetime import UTC, datetime

from registry.catalog.model import Parameter


def reading(parameter: Parameter, text: str) -> str:
    """How the program reads a value, where that helps; an empty text where there is nothing to say.

    Args:
        parameter: tells what the value stands for.
        text: what was typed.
    """
    if not text:
        return ""
    try:
        if parameter.format == "unix-minute":
            moment = datetime.fromtimestamp(int(text), UTC)
        elif parameter.format == "date-time":
            moment = datetime.fromisoformat(text.strip().upper())
            moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
        else:
            return ""
    except (ValueError, OverflowError, OSError):
        return ""
    local = moment.astimezone()
    same = local.utcoffset() == moment.utcoffset()
    here = "" if same else f" · {local:%H:%M} here ({local:%Z})"
    return f"= {moment:%a} {moment.day} {moment:%b %Y %H:%M} UTC{here}"
