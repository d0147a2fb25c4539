"""A page as JSON values, for scripts and agents."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from registry.pages.page import ObjectLink, ObjectPage, PageRow, PageSection


def as_json(page: ObjectPage) -> dict[str, Any]:
    """A page as JSON values. Amounts in `sums` are in the smallest unit of their currency, times are ISO in UTC."""
    return {
        "object": page.subject.type,
        "id": page.subject.id,
        "title": page.title,
        "head": {
            "headline": page.headline,
            "tone": page.tone,
            "facts": list(page.facts),
            "tool": page.subject.tool,
            "arguments": dict(page.subject.arguments),
        },
        "attention": [{"words": one.words, "why": one.why, "tone": one.tone, **_linked(one.link)} for one in page.attention],
        "sections": [_section(one) for one in page.sections],
        "timeline": [
            {"at": _iso(one.at), "words": one.words, "tone": one.tone, "section": one.section, **_linked(one.link)}
            for one in page.timeline
        ],
        "complete": page.complete,
        **({"shared": page.shared} if page.shared else {}),
    }


def _section(one: PageSection) -> dict[str, Any]:
    return {
        "title": one.title,
        "tool": one.tool or None,
        "arguments": dict(one.arguments) if one.arguments is not None else {},
        "state": one.state,
        "reason": one.reason or None,
        "count": None if one.state == "failed" else one.count,
        "complete": one.state == "complete",
        "by_state": dict(one.by_state),
        "sums": dict(one.sums),
        "rows": [_linked(row.link) | _row(row) for row in one.rows],
    }


def _row(row: PageRow) -> dict[str, Any]:
    at = _iso(row.at) if row.at is not None else None
    return {"state": row.state or None, "cells": [cell for cell in row.cells if cell], "at": at}


def _linked(link: ObjectLink | None) -> dict[str, Any]:
    return {"object": link.type if link is not None else None, "id": link.id if link is not None else None}


def _iso(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
