"""What the sandbox's responses show: every place that names an object, every list inside an object, sorted by what they are.

The responses are those of every tool that reads, and of the payments objects that hold an id in a field of which there are few.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from registry.catalog.loader import load
from registry.catalog.model import Tool
from registry.engine import Engine
from registry.references.knowledge import knowledge
from registry.references.naming import JsonLocation, NamedObject, expansions, holders, named, text_of
from registry.references.routes import Routes
from registry.references.targets import targets
from registry.sandbox.payments.shapes import shapes
from registry.sandbox.server import application
from registry.sandbox.store import StoredRow
from tests.opened import opened
from tests.references.locations import locations
from tests.sandbox.written_worlds import NOW, WORLD, references, written
from tests.test_every_tool import READS, SANDBOX, reading

TOOLS = load().tools
WAYS = Routes(load())
FEW = 3
"""Of each kind of reference."""

Kind = tuple[str, str, str]
"""The type of the object around an id, the path to it, and the type that it names."""


@dataclass(frozen=True)
class Case:
    """A place that names an object, and the call that it was seen in."""

    place: JsonLocation
    one: NamedObject
    tool: Tool
    arguments: Mapping[str, Any]


@dataclass(repr=False)  # asyncio writes out what a task returned, also for nobody, and this takes seconds
class Seen:
    """A few cases of every kind of reference; a few items of every list inside an object; ids of nothing, by type and path."""

    cases: dict[Kind, list[Case]] = field(default_factory=dict)
    items: dict[tuple[str, str], list[Case]] = field(default_factory=dict)
    unnamed: set[tuple[str, str]] = field(default_factory=set)

    def note(self, tool: Tool, arguments: Mapping[str, Any], response: Any, ids: set[str]) -> None:
        """Look through a response; `ids` are those of the world's objects."""
        known = knowledge(tool.toolkit)
        for place in locations(response):
            found = named(place, tool, known)
            if not found and (text_of(place.value) is None if isinstance(place.value, Mapping) else place.value not in ids):
                continue
            around = list(holders(place, tool, known))
            holder, path = (around[0].type, around[0].path) if around else (tool.name, place.step)
            if not found:
                self.unnamed.add((holder, path))
            for one in found:
                cases = self.cases.setdefault((holder, path, one.type), [])
                if len(cases) < FEW and all(case.one.id != one.id for case in cases):
                    cases.append(Case(place, one, tool, arguments))
                if one.own and place.step == "id" and len(around) > 1 and around[1].path.endswith(".data[]"):
                    self.items.setdefault((around[1].type, around[1].path), []).append(Case(place, one, tool, arguments))


def engine(folder: Path) -> Engine:
    """An engine on the world that was seen."""
    return opened(folder=folder, sandbox=lambda: application(seed=WORLD.seed, now=NOW))


async def look(folder: Path) -> Seen:
    """Read everything."""
    caller, seen = engine(folder), Seen()
    ids = {row.id for rows in written(WORLD).values() for row in rows if len(row.id) > 8}
    try:
        for tool, arguments in (*_usual(), *_rare()):
            result = await caller.run(tool, arguments, SANDBOX)
            if result.ok:
                seen.note(tool, arguments, result.json, ids)
    finally:
        await caller.aclose()
    return seen


def _usual() -> Iterator[tuple[Tool, dict[str, Any]]]:
    """The documented call of every tool that reads, for as much as it gives, and with all fields expanded."""
    for tool in READS:
        limit, expand = tool.with_role("limit"), tool.with_role("expand")
        arguments = reading(tool, NOW) | ({limit.name: limit.maximum} if limit and limit.maximum else {})
        yield tool, arguments
        if expand is not None and expand.suggestions:
            yield tool, {**arguments, expand.name: list(expand.suggestions)}


def world_fields() -> set[tuple[str, str]]:
    """Every field of the payments world in which an id stands, by type."""
    return {(kind, name) for kind, rows in _rows() for row in rows for name in _fields(kind, row)}


def _rare() -> Iterator[tuple[Tool, dict[str, Any]]]:
    """The calls for objects of the world that hold an id in a field, a few for each field."""
    for kind, rows in _rows():
        counts: dict[str, int] = {}
        for row in rows:
            fields = _fields(kind, row)
            if any(counts.get(name, 0) < FEW for name in fields):
                counts |= {name: counts.get(name, 0) + 1 for name in fields}
                whole = next(iter(locations({"object": kind, "id": row.id, **row.body})))
                for target in targets(whole, TOOLS["GetPaymentsAccountDetails"], {}, WAYS):
                    tool, expand = TOOLS[target.tool], TOOLS[target.tool].with_role("expand")
                    if not target.missing:
                        yield tool, dict(target.arguments)
                        if expand is not None and (paths := expansions(tool)):
                            yield tool, {**target.arguments, expand.name: paths}
                if owner := row.body.get("_transaction"):
                    yield TOOLS["GetTransactionLineItems"], {"transaction_id": owner}


def _rows() -> Iterator[tuple[str, list[StoredRow]]]:
    return ((kind, rows) for kind, rows in written(WORLD).items() if kind in shapes())


def _fields(kind: str, row: StoredRow) -> set[str]:
    return {name for name, _, _ in references(kind, row) if not name.startswith("_")}


def objects(response: Any) -> Iterator[dict[str, Any]]:
    """Every object of a response that has an id."""
    if isinstance(response, list):
        for one in response:
            yield from objects(one)
    elif isinstance(response, dict):
        if "id" in response:
            yield response
        for one in response.values():
            yield from objects(one)
