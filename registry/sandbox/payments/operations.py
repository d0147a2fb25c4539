"""What the service can be asked, and one request to it.

`operations.json` names the paths of single objects, lists, searches, deletions and the files host. No tool needs the lists of
customers, charges and events, but official clients begin with them. It also has, by kind: the fields that searches know by
their type (``searched``), what the bearer of a client secret may see (``public``), what goes with an object that is deleted by
the field with its id (``parts``), and further fields with an index (``indexes``).

A list runs from the newest to the oldest. The documentation says so of customers, charges, capabilities, physical bundles,
templates, and the refunds and reversals of one object, and of no list that it runs otherwise. Lines and items run in the order
in which they are on the page; so do reference tables, from their first entry. Of these the order is doubtful: no document
names it, and clients do well not to rely on it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from registry.sandbox.payments import expanding
from registry.sandbox.payments.errors import missing, refused
from registry.sandbox.payments.keys import Key
from registry.sandbox.payments.parameters import Parameter, arguments
from registry.sandbox.payments.reading import Found, Reader
from registry.sandbox.payments.rendering import Json, Renderer
from registry.sandbox.store import StoredRow
from registry.sandbox.world import DAY

EVENT_AGE = 30 * DAY
"""How long an event can be read, in seconds."""

_NO_FILTERS = ("limit", "object", "starting_after", "ending_before")
_PAGED = ("list", "search", "recent_events", "summaries")


class Operation(NamedTuple):
    """What a method and a path do.

    Attributes:
        does: how it is carried out, a key of `service.HANDLERS`.
        kinds: the kinds of the objects that it is about.
        owner: the kind of the object that the path names before them.
        by: the objects' field that holds the owner's id.
        called: the objects' name in the error if there is none; by default the first kind.
        parameters: what its query takes, by name.
        oldest_first: of a list: it runs the other way.
        paged: of a list: it takes a limit and cursors; otherwise the response has the whole list.
        limit: of a list: the highest limit, which is then the usual one as well.
        only: of a list: a further condition that all members meet.
        clock: of a list: the members' field that holds their test clock, where objects on clocks are left out unless the
            customer or the clock is named.
        old: it is not in the newest API description.
    """

    does: str
    kinds: Sequence[str]
    owner: str = ""
    by: str = ""
    called: str = ""
    parameters: Mapping[str, Parameter] = {}
    oldest_first: bool = False
    paged: bool = True
    limit: int | None = None
    only: Mapping[str, bool] = {}
    clock: str = ""
    old: bool = False

    @property
    def filters(self) -> dict[str, Parameter]:
        """The parameters that narrow a list."""
        return {name: one for name, one in self.parameters.items() if name not in _NO_FILTERS}

    @property
    def listed(self) -> bool:
        """Whether it responds with a page of objects."""
        return self.does in _PAGED


def _operation(does: str, said: dict[str, Any]) -> Operation:
    parameters = {name: Parameter(**one) for name, one in said.pop("parameters", {}).items()}
    made = Operation(**{"does": does} | said)
    if made.does == "list" and len(made.kinds) > 1:
        parameters["object"] = Parameter(choices=made.kinds)
    if made.listed and made.paged:
        parameters["limit"] = Parameter("integer", lowest=1, highest=made.limit or 100)
        if made.does != "search":
            parameters |= {"starting_after": Parameter(), "ending_before": Parameter()}
    return made._replace(parameters=parameters)


DECLARED: dict[str, Any] = json.loads(Path(__file__).with_name("operations.json").read_text("utf-8"))
OBJECTS, LISTS, SEARCHES, DELETIONS, FILES = (
    {path: _operation(does, said) for path, said in DECLARED[name].items()}
    for name, does in (("objects", "one"), ("lists", "list"), ("searches", "search"), ("deletions", "delete"), ("files", ""))
)


class Routes:
    """Finds the operation of a method and a path such as ``/v1/customers/{customer}``."""

    def __init__(self, *tables: tuple[str, Mapping[str, Operation]]) -> None:
        self._known: dict[tuple[str, int], list[tuple[list[str], Operation]]] = {}
        for method, table in tables:
            for path, operation in table.items():
                parts = path.split("/")
                self._known.setdefault((method, len(parts)), []).append((parts, operation))
        for alike in self._known.values():
            alike.sort(key=lambda one: [part.startswith("{") for part in one[0]])  # a name goes before a placeholder

    def match(self, method: str, path: str) -> tuple[Operation, dict[str, str]] | None:
        """The operation, and what the path has in place of its placeholders, or None."""
        asked = path.split("/")
        for parts, operation in self._known.get((method, len(asked)), ()):
            if all(part == one or (part.startswith("{") and one) for part, one in zip(parts, asked, strict=True)):
                pairs = zip(parts, asked, strict=True)
                return operation, {part[1:-1]: one for part, one in pairs if part.startswith("{")}
        return None


class Call:
    """A recognised request, with the objects that its key can read.

    `ids` are the values of the path's placeholders by name, from left to right; `values` what its query says by name.

    Raises:
        ApiError: 400, for a query that the operation does not take, or a live key that asks for test clocks.
    """

    def __init__(self, operation: Operation, reader: Reader, key: Key, path: str, ids: dict[str, str], query: str) -> None:
        self.operation = operation
        self.reader = reader
        self.key = key
        self.path = path
        self.ids = ids
        self.now = reader.world.present
        if key.live and operation.kinds[0] == "test_helpers.test_clock":
            raise refused("Test clocks exist in test mode only; use a test mode key.")
        deletes = operation.does in ("delete", "remove_discount")
        self.values, expand = arguments(query, operation.parameters, expands=not deletes)
        self._tree = expanding.tree(expand, operation.kinds, listed=operation.listed)
        self._renderer = Renderer(reader)

    def owner(self) -> StoredRow:
        """The object that the path names first.

        Raises:
            ApiError: 404.
        """
        name, id_ = next(iter(self.ids.items()))
        return self._readable(self.reader.require((self.operation.owner,), id_, name), name).row

    def found(self) -> Found:
        """The object that ends the path, its owner's if it has one.

        Raises:
            ApiError: 404; 400, a report that uses live data only.
        """
        operation, by = self.operation, self.operation.by
        owner = self.owner().id if operation.owner else ""
        name, id_ = list(self.ids.items())[-1]
        found = self.reader.require(
            operation.kinds, id_, name, called=operation.called, fits=lambda row: not by or row.body.get(by) == owner
        )
        return self._readable(found, name)

    def _readable(self, found: Found, name: str) -> Found:
        """The object, unless it can no longer be read, or not with this key."""
        kind, row = found
        expires_at = row.body.get("expires_at") if kind == "tax.calculation" else None
        if (kind == "event" and row.created < self.now - EVENT_AGE) or (expires_at is not None and expires_at <= self.now):
            raise missing(kind, row.id, name)
        if row.body.get("_live_only") and not self.key.live:
            raise refused(f"The report type {row.id} is available with a live mode key only.", param=name)
        return found

    def show(self, kind: str, row: StoredRow) -> Json:
        """An object, expanded as requested."""
        return self._renderer.object(kind, row, self._tree)

    def show_page(self, found: Sequence[Found], has_more: bool) -> Json:
        """A page of a list, expanded as requested."""
        return self._renderer.list(self.path, found, has_more, self._tree)
