"""What is known of the objects that answers hold: which fields refer to which types, how ids begin, what can be expanded.

The catalogue says which tool retrieves a type, and takes or lists it; what it does not say is in ``data``, a file for each
toolkit, written from how the services speak.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from registry.catalog.folders import Found, OfFolders
from registry.catalog.listing import entries
from registry.catalog.reading import Unreadable, read_file

_DATA = Path(__file__).parent / "data"
# Random ids mix letters and digits; words such as card_payments, which begin like ids, do not.
_RANDOM = re.compile(r"(?=.*[0-9A-Z])[A-Za-z0-9]{6,250}")

Types = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Kind:
    """One type of object. Fields are dotted paths from the object, ``[]`` for every element of a list.

    Attributes:
        prefixes: how its ids begin; none where they are chosen freely.
        refers: the fields that hold ids, with the types that these may be of.
        expands: those of them that the service answers with whole objects when asked to.
        holds: the fields that hold whole objects.
        hides: the fields that the service leaves out unless it is asked to expand them.
        belongs: the fields that say what it belongs to, for a type that is reached through its owner only.
        shape: how its ids look where they have no prefix, as a regular expression; None where that is not known.
        passing: it is seen in a stream that no list can be asked to show again.
    """

    prefixes: tuple[str, ...] = ()
    refers: Mapping[str, Types] = field(default_factory=dict)
    expands: frozenset[str] = frozenset()
    holds: Mapping[str, Types] = field(default_factory=dict)
    hides: tuple[str, ...] = ()
    belongs: tuple[str, ...] = ()
    shape: str | None = None
    passing: bool = False


@dataclass(frozen=True, slots=True)
class Knowledge:
    """What is known of one toolkit's objects.

    Attributes:
        type_in: the member in which an object says its type; None where objects do not say it.
        kinds: by type.
        older: tools that ask at addresses which the service keeps for old programs; there is a newer tool for each.
        starts: every prefix of ids with the types that it may stand for, the longest first.
        by_email: the tools that take an e-mail address, with their arguments; ``{}`` stands for the address.
        found_by: for types that are searched and not listed, the ``tool``, the question that finds ``all`` of them, and the one
            that finds those with some ``words``, ``{}`` standing for the words.
    """

    type_in: str | None = None
    kinds: Mapping[str, Kind] = field(default_factory=dict)
    older: frozenset[str] = frozenset()
    starts: tuple[tuple[str, Types], ...] = ()
    by_email: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    found_by: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def kind(self, type_: str) -> Kind:
        """What is known of a type; nothing for one that is not known."""
        return self.kinds.get(type_, _UNKNOWN)

    def types_by_id(self, text: str) -> Types:
        """The types that a text is an id of, by how it begins; none when it does not look like an id."""
        for start, types in self.starts:
            if text.startswith(start):
                return types if _RANDOM.fullmatch(text, len(start)) else ()
        return ()

    def types_by_shape(self, text: str) -> Types:
        """The types whose ids look like a text, where ids have no prefix."""
        return tuple(name for name, kind in self.kinds.items() if kind.shape and re.fullmatch(kind.shape, text))


_UNKNOWN = Kind()


def knowledge(toolkit: str) -> Knowledge:
    """What is known of a toolkit's objects; nothing for one without a file."""
    return _all().get(toolkit, Knowledge())


@OfFolders
def _all(found: Found) -> Mapping[str, Knowledge]:
    contents = [json.loads(path.read_text("utf-8")) for path in sorted(_DATA.glob("*.json"))]
    known = {content["toolkit"]: _knowledge(content) for content in contents}
    for entry in entries(found):
        with contextlib.suppress(Unreadable, KeyError, TypeError, AttributeError):
            known.setdefault(entry.toolkit, _knowledge(read_file(entry.folder.path / "references.json")))
    return known


def _knowledge(content: dict[str, Any]) -> Knowledge:
    kinds = {name: _kind(entry) for name, entry in content["objects"].items()}
    starts: dict[str, Types] = {}
    for name, kind in kinds.items():
        for prefix in kind.prefixes:
            starts[prefix] = (*starts.get(prefix, ()), name)
    longest_first = sorted(starts.items(), key=lambda one: -len(one[0]))
    return Knowledge(
        content.get("type_in"),
        kinds,
        frozenset(content.get("older_tools", ())),
        tuple(longest_first),
        content.get("by_email", {}),
        content.get("found_by", {}),
    )


def _kind(entry: dict[str, Any]) -> Kind:
    return Kind(
        prefixes=tuple(entry.get("prefixes", ())),
        refers={path: _types(types) for path, types in entry.get("refers", {}).items()},
        expands=frozenset(entry.get("expands", ())),
        holds={path: _types(types) for path, types in entry.get("holds", {}).items()},
        hides=tuple(entry.get("hides", ())),
        belongs=tuple(entry.get("belongs", ())),
        shape=entry.get("shape"),
        passing=entry.get("passing", False),
    )


def _types(types: str | list[str]) -> Types:
    return (types,) if isinstance(types, str) else tuple(types)
