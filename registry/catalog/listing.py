"""The table of contents of the catalogue: enough to show the tree and to find a tool.

It is cheap enough to read before the first frame is painted: the same files as the full catalogue, not checked. What is wrong
with an entry is told by the loader; an entry that has no usable name, toolkit or group is passed over here.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

DATA = Path(__file__).parent / "data"


class ToolSummary(NamedTuple):
    """One tool as the table of contents knows it.

    `effect` is ``read``, ``write`` or ``delete``; `answer` the kind of answer (``object``, ``list``, …) and `objects` the
    types in it.
    """

    toolkit: str
    group: str
    name: str
    operation: str
    summary: str
    effect: str
    deprecated: bool
    answer: str
    objects: tuple[str, ...]


class ToolkitTitle(NamedTuple):
    """A toolkit as the table of contents knows it."""

    name: str
    title: str
    summary: str


_NO_TOOLS = ("toolkits.json", "checked.json")


def tool_files(directory: Path) -> list[Path]:
    """The files that hold tools, in the order in which groups are shown."""
    files = [path for path in directory.rglob("*.json") if path.name not in _NO_TOOLS and ".schema." not in path.name]
    return sorted(files, key=lambda path: (_ORDER.get(path.stem, len(_ORDER)), str(path)))


_ORDER = {
    stem: place
    for place, stem in enumerate(
        (
            "customers",
            "payments",
            "billing",
            "accounts",
            "payment_method_setup",
            "fraud_screening",
            "entitlements",
            "tax",
            "reporting_and_analytics",
            "terminal",
            "issuing",
            "treasury",
            "financial_connections",
            "other",
            "incidents",
            "crm_users",
        )
    )
}


@cache
def read_file(path: Path) -> Any:
    """A data file's JSON, read once a process.

    Raises:
        OSError, ValueError: the file cannot be read, or is not JSON.
    """
    return json.loads(path.read_bytes())


@cache
def table_of_contents(directory: Path = DATA) -> tuple[ToolSummary, ...]:
    """Every tool that can be listed, in the order in which they are shown."""
    return tuple(_tools(directory))


@cache
def toolkit_titles(directory: Path = DATA) -> tuple[ToolkitTitle, ...]:
    """The toolkits in the order in which they are shown; none when their file cannot be read."""
    try:
        entries = read_file(directory / "toolkits.json")["toolkits"]
        return tuple(ToolkitTitle(entry["name"], entry["title"], entry["summary"]) for entry in entries)
    except (OSError, ValueError, KeyError, TypeError):
        return ()


def _tools(directory: Path) -> Iterator[ToolSummary]:
    for path in tool_files(directory):
        try:
            content = read_file(path)
            for group in content["groups"]:
                for entry in group["tools"]:
                    yield from _tool(content["toolkit"], group["name"], entry)
        except (OSError, ValueError, KeyError, TypeError):
            continue


def _tool(toolkit: str, group: str, entry: dict[str, Any]) -> Iterator[ToolSummary]:
    try:
        returns = entry["returns"]
        yield ToolSummary(
            toolkit,
            group,
            entry["name"],
            entry["operation"],
            entry["summary"],
            entry["effect"],
            bool(entry.get("deprecated")),
            returns["kind"],
            tuple(returns["objects"]),
        )
    except (KeyError, TypeError):
        return
