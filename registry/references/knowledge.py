"""Facts about the objects in responses: which fields refer to which types, the prefixes of ids, what can be expanded.

The catalogue says which tool retrieves a type, takes its id or lists it. The rest is in the ``references.json`` of the
toolkit's folder, written from the service's documentation and responses; a toolkit works without it.
"""

import re
from collections.abc import Mapping
from typing import Any

import msgspec

from registry.catalog.loader import ToolkitFile, declarations

# No double quotes and no backslashes: an address is put between double quotes into search expressions.
EMAIL = re.compile(
    r"[^@\s\"'\\<>(),;:](?:[^@\s\"\\<>(),;:]{0,62}[^@\s\"'\\<>(),;:])?@[^@\s\"'\\<>(),;:]+\.[^@\s\"'\\<>(),;:.]{2,}"
)
_KEYS = (
    "type_in", "reference_suffix", "type_suffixes", "typed_parts", "objects", "older_tools", "by_email", "found_by", "owned",
)  # fmt: skip
# Random ids mix letters and digits; words like card_payments, which begin like ids, do not.
_RANDOM = re.compile(r"(?=.*[0-9A-Z])[A-Za-z0-9]{6,250}")
_NUMBER = re.compile(r"#[0-9]{1,9}")

Types = tuple[str, ...]


class ObjectKind(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One type of object. Fields are dotted paths from the object, ``[]`` for every element of a list.

    Attributes:
        prefixes: how its ids begin; empty if they are chosen freely.
        refers: the fields that hold ids, with the possible types of these.
        expands: those of them that the service can expand to whole objects.
        holds: the fields that hold whole objects.
        hides: the fields that the service omits unless they are expanded.
        belongs: the fields with its owner, for a type that is reached only through its owner.
        shape: a regular expression for its ids, if they have no prefix; None if not known.
        numbered: its number works as its id; people write it as ``#4062``.
        passing: it appears in a stream that no list can show again.
        field: the name of the fields that hold its id, if that is not the last word of the type.
    """

    prefixes: tuple[str, ...] = ()
    refers: Mapping[str, Types] = msgspec.field(default_factory=dict)
    expands: frozenset[str] = frozenset()
    holds: Mapping[str, Types] = msgspec.field(default_factory=dict)
    hides: tuple[str, ...] = ()
    belongs: tuple[str, ...] = ()
    shape: str | None = None
    numbered: bool = False
    passing: bool = False
    field: str | None = None


class Knowledge(msgspec.Struct, frozen=True):
    """The facts about one toolkit's objects.

    Attributes:
        type_in: the property with an object's type; None without one.
        reference_suffix: the suffix of the type in mere references to an object; empty without one.
        type_suffixes: the suffixes of families of types, each with the one type that represents the family.
        typed_parts: parts of objects have a type as well, so only a value with an id is an object.
        kinds: by type.
        older: tools for addresses that the service keeps for old programs; there is a newer tool for each.
        starts: every prefix of ids with its possible types.
        lengths: the lengths of these prefixes, each once, the longest first.
        by_email: the tools that take an email address, with their arguments; ``{}`` is replaced by the address.
        found_by: for types that are searched and not listed, the ``tool``, the query that finds ``all`` of them, and the query
            for some ``words``, with ``{}`` for the words.
        owned: by type, the tools that find what belongs to an object of it although none of their parameters takes its id, with
            their arguments; ``{}`` is replaced by the id.
    """

    type_in: str | None = None
    reference_suffix: str = ""
    type_suffixes: Mapping[str, str] = msgspec.field(default_factory=dict)
    typed_parts: bool = False
    kinds: Mapping[str, ObjectKind] = msgspec.field(default_factory=dict)
    older: frozenset[str] = frozenset()
    starts: Mapping[str, Types] = msgspec.field(default_factory=dict)
    lengths: tuple[int, ...] = ()
    by_email: Mapping[str, Mapping[str, str]] = msgspec.field(default_factory=dict)
    found_by: Mapping[str, Mapping[str, str]] = msgspec.field(default_factory=dict)
    owned: Mapping[str, Mapping[str, Mapping[str, str]]] = msgspec.field(default_factory=dict)

    def kind(self, type_: str) -> ObjectKind:
        """The facts on a type; empty for an unknown type."""
        return self.kinds.get(type_, _UNKNOWN)

    def types_by_id(self, text: str) -> Types:
        """The possible types of an id, by its prefix; empty if the text does not look like an id."""
        for length in self.lengths:
            if (types := self.starts.get(text[:length])) is not None:
                return types if _RANDOM.fullmatch(text, length) else ()
        return ()

    def types_of(self, text: str) -> Types:
        """The possible types of an id or a number, however it is known; empty if it looks like none."""
        return self.types_by_id(text) or self.types_by_shape(text) or self.types_by_number(text)

    def types_by_prefix(self, text: str) -> Types:
        """The types whose prefix a text has, whatever follows it; empty if there are none."""
        return next((self.starts[text[:length]] for length in self.lengths if text[:length] in self.starts), ())

    def types_by_shape(self, text: str) -> Types:
        """The types without prefixes whose ids look like a text."""
        return tuple(name for name, kind in self.kinds.items() if kind.shape and re.fullmatch(kind.shape, text))

    def types_by_number(self, text: str) -> Types:
        """The types whose number works as their id, if a text is such a number, as in ``#4062``."""
        return tuple(name for name, kind in self.kinds.items() if kind.numbered) if _NUMBER.fullmatch(text) else ()


_UNKNOWN = ObjectKind()


def _knowledge_in(file: ToolkitFile) -> Knowledge:
    kinds: dict[str, ObjectKind] = {}
    for name, entry in file.entries("objects", dict[str, Any]).items():
        members = dict(entry)
        for key in ("refers", "holds"):
            if isinstance(fields := entry.get(key), dict):  # a single type may be written without a list
                members[key] = {path: [types] if isinstance(types, str) else types for path, types in fields.items()}
        if (found := file.converted(f"objects.{name}", members, ObjectKind)) is not None:
            try:
                re.compile(found.shape or "")
                kinds[name] = found
            except re.error:
                file.problem(f"objects.{name}.shape", "is not a regular expression")
    starts: dict[str, Types] = {}
    for name, kind in kinds.items():
        for prefix in kind.prefixes:
            starts[prefix] = (*starts.get(prefix, ()), name)
    found_by = file.entries("found_by", dict[str, str])
    for type_ in [type_ for type_, entry in found_by.items() if not {"tool", "all"} <= entry.keys()]:
        file.problem(f"found_by.{type_}", "needs `tool` and `all`")
        del found_by[type_]
    return Knowledge(
        type_in=file.value("type_in", str, "") or None,
        reference_suffix=file.value("reference_suffix", str, ""),
        type_suffixes=file.entries("type_suffixes", str),
        typed_parts=file.value("typed_parts", bool, False),
        kinds=kinds,
        older=file.value("older_tools", frozenset[str], frozenset()),
        starts=starts,
        lengths=tuple(sorted({len(start) for start in starts}, reverse=True)),
        by_email=file.entries("by_email", dict[str, str]),
        found_by=found_by,
        owned=file.entries("owned", dict[str, dict[str, str]]),
    )


knowledge, read_references = declarations("references.json", _KEYS, _knowledge_in)
