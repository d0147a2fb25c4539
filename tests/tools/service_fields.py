"""No product code knows a service's fields: properties, parameters and ids of one toolkit alone are declared in its folder.

What to look for is read from the toolkits: the parameters of their tools and the properties of their objects, where only one
toolkit has them and the name has several words (``times_redeemed``, ``superAdmin``); a name of one word could be anybody's. Ids
are found by the prefixes of the objects. Docstrings may give examples.
"""

import ast
import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

GENERIC = frozenset((
    "display_name", "domain_name", "first_name", "firstName", "last_name", "lastName", "serial_number",
    "due_date", "expires_at", "payment_status",
    "authorization_code", "client_id", "client_secret", "on_behalf_of",  # accounts and OAuth
    "ending_before", "starting_after", "max_results", "total_count",  # paging that many services have
    "available_on", "billing_cycle_anchor",  # moments by name: they are read below the catalogue, for every value on screen
))  # fmt: skip
"""Names that many services have, and those that Callboard itself has; only one of the built-in toolkits happens to use them."""

_SEVERAL_WORDS = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)+|[a-z]+(?:[A-Z][a-z0-9]*)+")
_NAME = re.compile(r"[A-Za-z0-9_]+")


class Fields:
    """The fields that only one of the toolkits that ship has."""

    def __init__(self, folder: Path) -> None:
        by_toolkit = [set(_fields(one.parent)) for one in sorted(folder.glob("*/service.json"))]
        count = Counter(name for names in by_toolkit for name in names)
        self.names = {name for name, times in count.items() if times == 1 and _SEVERAL_WORDS.fullmatch(name)} - GENERIC
        prefixes = {prefix for one in folder.glob("*/references.json") for prefix in _values(_read(one), "prefixes")}
        self._ids = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, sorted(prefixes)))})(?:(?=[a-zA-Z]*\d)\w{{8,}}|…)")

    def in_file(self, text: str) -> Iterator[tuple[int, str]]:
        """Every field and id of a service in the strings of a Python file, with its line."""
        tree = ast.parse(text)
        described = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in described:
                yield from ((node.lineno, name) for name in _NAME.findall(node.value) if name in self.names)
                yield from ((node.lineno, found[0]) for found in self._ids.finditer(node.value))


def _fields(toolkit: Path) -> Iterator[str]:
    for file in sorted(toolkit.glob("tools/*.json")):
        for parameters in _values(_read(file), "parameters"):
            yield from _parts(parameters)
    words = _read(toolkit / "words.json")
    for names in words.get("fields", {}).values():
        yield from _NAME.findall(names)
    for path in _texts(_read(toolkit / "properties.json")):
        yield from _NAME.findall(path)


def _parts(parameter: dict[str, Any]) -> Iterator[str]:
    """A parameter's names, and those of the parameters inside it."""
    for key in ("name", "wire_name"):
        yield from _NAME.findall(parameter.get(key) or "")
    for one in (*parameter.get("properties", ()), *parameter.get("branches", ()), parameter.get("items")):
        if isinstance(one, dict):
            yield from _parts(one)


def _values(content: Any, key: str) -> Iterator[Any]:
    """The elements of every list under a key, at any depth."""
    if isinstance(content, dict):
        for name, value in content.items():
            if name == key and isinstance(value, list):
                yield from value
            else:
                yield from _values(value, key)
    elif isinstance(content, list):
        for one in content:
            yield from _values(one, key)


def _texts(content: Any) -> Iterator[str]:
    """All texts that are values, at any depth."""
    if isinstance(content, str):
        yield content
    elif isinstance(content, dict | list):
        for one in content.values() if isinstance(content, dict) else content:
            yield from _texts(one)


def _read(file: Path) -> Any:
    return json.loads(file.read_text("utf-8")) if file.exists() else {}
