"""Guesses what documents do not say: the style of paging and the types of ids.

Each guess has a reason. It applies unless the overlay overrides it, and is shown as a guess until the user keeps it.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import suppress
from itertools import pairwise
from typing import Any

from msgspec import Struct, field

from registry.openapi.document import CONVENTIONS, DocumentRefused, fits, snake
from registry.openapi.forms import Entry
from registry.openapi.operations import MARKS, Output, collection_of
from registry.openapi.schemas import Shape, shape_of

_ROLES: Mapping[str, str] = CONVENTIONS["roles"]
_MORE, _TOTAL, _NEXT, _POSITION = (CONVENTIONS[name] for name in ("more", "total", "next", "position"))
_SIZE: Mapping[str, str] = CONVENTIONS["size"]
_REFERENCE = "_reference"
_PLACEHOLDER = re.compile(r"\{[^{}]*\}")
_INSIDE = frozenset(CONVENTIONS["inside"])
_DEEPEST = 3  # paging.next.after


class Guess(Struct, frozen=True):
    """An assumption about something that the document does not say: its subject (``paging/ListIssues``), words, and reason.

    `operation` is as overlays name it, and empty if it is about the document; `value` is for the overlay when it is kept.
    """

    id: str
    what: str
    reason: str
    operation: str = ""
    value: Any = None


class Types(Struct):
    """The types of objects that a document's operations return, by the names of schemas.

    `homes` are the shortest paths of operations that get one object by its id. `type_in` is the property that names an object's
    type; `suffix` is at the end of the type of a mere reference.
    """

    by_schema: dict[str, str] = field(default_factory=dict)
    type_in: str | None = None
    suffix: str = ""
    homes: dict[str, str] = field(default_factory=dict)

    def named_at(self, path: str, type_: str) -> str:
        """The name of a type at a path: an object from another path than its home is a view with its own type."""
        home = self.homes.get(type_, path)
        if home == path or not path.endswith("}") or _PLACEHOLDER.sub("{}", home) == _PLACEHOLDER.sub("{}", path):
            return type_
        around = [one for one in path.split("/")[:-2] if one and "{" not in one]
        name = f"{_collection(around[-1])}_{type_}" if around and _collection(around[-1]) else type_
        return type_ if name in self.homes else name


def page_roles(entries: Iterable[Entry]) -> dict[str, Entry]:
    """The query parameters for paging, by role."""
    by_name = {snake(entry["wire_name"]): entry for entry in entries if entry["in"] == "query"}
    found: dict[str, Entry] = {}
    for role, names in _ROLES.items():
        kind = "string" if role.startswith("cursor") else "integer"
        fitting = [by_name[name] for name in names.split() if name in by_name and by_name[name]["type"] == kind]
        if fitting:
            found[role] = fitting[0]
    return found


def paging_of(output: Output, roles: Mapping[str, Entry]) -> tuple[dict[str, Any], str] | None:
    """A list's style of paging, and the reason for the guess; None without a guess."""
    at = _paths(output.whole)

    def first(names: str) -> str | None:
        return next((at[name] for name in names.split() if name in at), None)

    def told(style: str, reason: str, **facts: str | None) -> tuple[dict[str, Any], str]:
        given = {name: value for name, value in facts.items() if value is not None}
        return {"items": output.items_at or "", "style": style} | given, reason

    more, total, following = first(_MORE), first(_TOTAL), first(_NEXT)
    names = {role: str(entry["wire_name"]) for role, entry in roles.items()}
    after = names.get("cursor_after")
    if after is not None and snake(after) == "starting_after" and more is not None:
        return told("cursor_by_id", f"{after} and {more}", more=more)
    if "link" in output.headers and (after is not None or "page" in names or "offset" in names):
        return told(
            "link_header",
            "the response header Link",
            total_header="x-total-count" if "x-total-count" in output.headers else None,
        )
    if following is not None and (cursor := after or names.get("page")) is not None:
        return told("cursor", f"{cursor} and {following}", next=following, more=more, total=total)
    if "offset" in names and (more is not None or total is not None):
        return told(
            "offset",
            f"{names['offset']} and {more or total}",
            more=more,
            position=first(_POSITION),
            size=first(_SIZE["offset"]),
            total=total,
        )
    if "page" in names and "limit" in names:
        return told("page", f"{names['page']} and {names['limit']}", more=more, size=first(_SIZE["page"]), total=total)
    return None


def _paths(whole: Shape | None, above: str = "") -> dict[str, str]:
    """The dotted paths of a page's properties by their names in snake case; also those inside objects like ``pagination``."""
    found: dict[str, str] = {}
    properties = whole.properties if whole is not None and whole.type == "object" else {}
    for name, schema in properties.items():
        inner = None
        if "." not in name and snake(name) in _INSIDE and above.count(".") < _DEEPEST:
            with suppress(DocumentRefused):  # a reference that leads nowhere
                inner = shape_of(schema)
        if inner is not None and inner.type == "object" and inner.properties:
            found = _paths(inner, f"{above}{name}.") | found
        elif "." not in name:
            found.setdefault(snake(name), f"{above}{name}")
    return found


# Ids


def types_of(outputs: Iterable[tuple[str, str, Output]]) -> Types:
    """The types in a document, from (method, path, output) of its operations."""
    found = Types()
    marks: Counter[str] = Counter()
    votes: dict[str, Counter[str]] = {}
    listed = list(outputs)
    reads = [(path, output) for method, path, output in listed if method == "GET" and output.kind in ("object", "list")]
    for path, output in reads:
        marks.update(output.marks.keys())
        named = output.collection if path.endswith("}") or output.kind == "list" else ""
        votes.setdefault(output.name, Counter())[named or output.type] += 3 if path.endswith("}") else 1
    votes.pop("", None)
    if marks and marks.most_common(1)[0][1] >= 3:
        found.type_in = marks.most_common(1)[0][0]
    marked = {output.name: output.marks[found.type_in or ""] for _, _, output in listed if found.type_in in output.marks}
    found.by_schema = {schema: names.most_common(1)[0][0] for schema, names in votes.items()} | marked
    found.by_schema.pop("", None)
    single = [(path, output) for path, output in reads if path.endswith("}") and output.kind == "object"]
    known = {type_of(output, found) for _, output in single}
    if any(one.endswith(_REFERENCE) and one.removesuffix(_REFERENCE) in known for one in (*known, *found.by_schema.values())):
        found.suffix = _REFERENCE
    for path, output in sorted(single, key=lambda one: one[0].count("/")):
        found.homes.setdefault(type_of(output, found), path)
    found.homes.pop("", None)
    return found


def type_of(output: Output, types: Types) -> str:
    """The type of the objects that an operation returns; empty if unknown."""
    marked = output.marks.get(types.type_in or "", output.collection or output.type)
    return types.by_schema.get(output.name, marked).removesuffix(types.suffix)


def path_types(path: str, types: Types, own: str) -> dict[str, str]:
    """By placeholder, the type whose id it takes: that of the segment before it; for the last one, the type returned."""
    found: dict[str, str] = {}
    segments = [one for one in path.split("/") if one]
    for before, segment in pairwise(["", *segments]):
        if segment.count("{") != 1 or not segment.startswith("{"):
            continue
        name = segment[1:].partition("}")[0]
        named, guess = id_name(name), own if segment is segments[-1] and own else _collection(before)
        if guess not in types.homes and named in types.homes:
            guess = named
        if guess in types.homes:
            found[name] = guess
    return found


def _collection(segment: str) -> str:
    return collection_of(f"/{segment}") if segment and "{" not in segment else ""


def id_name(name: str) -> str:
    """The type whose id a property or parameter with this name holds: ``customer_id`` → customer."""
    words = snake(name)
    for ending in ("_ids", "_id", "_identifier", "_uuid", "_key"):
        if words.endswith(ending) and len(words) > len(ending):
            return words.removesuffix(ending)
    return words


def references_of(found: Mapping[str, Shape], types: Types) -> dict[str, Any]:
    """The content of ``references.json``: by type, the properties that hold ids, and those that hold whole objects."""
    objects: dict[str, Any] = {}
    for name, shape in found.items():
        entry: dict[str, dict[str, str]] = {}
        for property_, schema in list(shape.properties.items())[:200]:
            if fits(property_) and property_ not in MARKS and not any(sign in property_ for sign in ".[]"):
                with suppress(DocumentRefused):  # a reference that leads nowhere
                    if (reference := _reference(name, property_, shape_of(schema), types)) is not None:
                        how, place, type_ = reference
                        entry.setdefault(how, {})[place] = type_
        if entry or name in types.homes:
            objects[name] = entry
    facts = {"type_in": types.type_in, "reference_suffix": types.suffix} if objects else {}
    return {name: value for name, value in facts.items() if value} | ({"objects": objects} if objects else {})


def _reference(owner: str, name: str, shape: Shape, types: Types) -> tuple[str, str, str] | None:
    """Whether a property refers to an object or holds it, its place, and the object's type; None for neither."""
    many = "[]" if shape.type == "array" else ""
    at = shape_of(shape.items) if many and shape.items else shape
    named = id_name(name)
    type_ = (types.by_schema.get(at.name) or named).removesuffix(types.suffix)
    if many and type_ not in types.homes:
        type_ = named.removesuffix("s")
    if type_ not in types.homes or at.enum is not None:
        return None
    if at.type == "object" and "id" in at.properties:
        return "holds", name + many, type_
    is_id, is_own = named != snake(name) or named == type_, named == type_ == owner
    if at.type in ("string", "integer") and is_id and not is_own:
        return "refers", name + many, type_
    return None
