"""What the service can be asked, one request to it, and how its query is read.

`operations.json` names the paths of single objects, lists, searches, deletions and the files host. No tool needs the lists of
customers, charges and events, but official clients begin with them. It also has, by kind: the fields that searches know by
their type (``searched``), what the bearer of a client secret may see (``public``), what goes with an object that is deleted by
the field with its id (``parts``), and further fields with an index (``indexes``).

A list runs from the newest to the oldest. The documentation says so of customers, charges, capabilities, physical bundles,
templates, and the refunds and reversals of one object, and of no list that it runs otherwise. Lines and items run in the order
in which they are on the page; so do reference tables, from their first entry. Of these the order is doubtful: no document
names it, and clients do well not to rely on it.

Queries are form encoded. Values are plain but for `expand`, which is an array: ``expand[]=a&expand[]=b`` or ``expand[0]=a``.
Whatever is not declared is refused, and so is every value that is not of its parameter's type.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple
from urllib.parse import parse_qsl

from registry.sandbox.payments.errors import Key, missing, refused
from registry.sandbox.payments.reading import Found, Reader
from registry.sandbox.payments.rendering import Json, Renderer, tree
from registry.sandbox.payments.shapes import shapes
from registry.sandbox.store import StoredRow
from registry.sandbox.world import DAY, data_file

Value = str | int | bool
EXPAND, OWN = "expand", "own"
_INTEGER = re.compile(r"[+-]?[0-9]{1,18}", re.ASCII)
_ELEMENT = re.compile(r"\[[0-9]*\]", re.ASCII)


class Parameter(NamedTuple):
    """What an operation takes under a name, and in a list the condition that it makes.

    Attributes:
        type: what it holds; a flag is true or false.
        required: it must be sent.
        choices: the texts that it accepts, if they are limited; `OWN` stands for those that the members' field can have. The
            facts do not say since when the API takes those that only later clients know, so these are taken.
        lowest: the least whole number.
        highest: the greatest whole number.
        refers: the kind of object that its value names; the object must exist.
        path: the members' field that it compares, if that is called differently.
        stored: stored values where they differ from the choices.
        every: the choice that matches all members.
        inverted: the field has the opposite meaning.
        through: members are those whose `path` names an object of this kind with the value in the field of this name.
    """

    type: Literal["text", "integer", "flag"] = "text"
    required: bool = False
    choices: Sequence[str] = ()
    lowest: int | None = None
    highest: int | None = None
    refers: str = ""
    path: str = ""
    stored: Mapping[str, str] = {}
    every: str = ""
    inverted: bool = False
    through: str = ""


def arguments(query: str, declared: Mapping[str, Parameter], *, expands: bool) -> tuple[dict[str, Any], list[str]]:
    """The values of a query string by name, and the paths to expand.

    Raises:
        ApiError: 400, naming the first parameter that is unknown, empty, of the wrong type, out of bounds or missing.
    """
    pairs = [(key.partition("["), value) for key, value in parse_qsl(query, keep_blank_values=True)]
    names = dict.fromkeys(name for (name, _, _), _ in pairs)
    unknown = [name for name in names if name not in declared and not (expands and name == EXPAND)]
    if unknown:
        plural = "s" if len(unknown) > 1 else ""
        raise refused(f"Received unknown parameter{plural}: {', '.join(unknown)}", code="parameter_unknown", param=unknown[0])
    values: dict[str, Value] = {}
    expand: list[str] = []
    for (name, bracket, rest), value in pairs:
        if name == EXPAND and not _ELEMENT.fullmatch(bracket + rest):
            raise refused("Invalid array", param=EXPAND)
        if name != EXPAND and bracket:
            raise refused("Invalid string: a single value is expected", param=name)
        if not value:
            message = f"You passed an empty string for '{name}'. Leave the parameter out, or give it a value."
            raise refused(message, code="parameter_invalid_empty", param=name)
        if name == EXPAND:
            expand.append(value)
        else:
            values[name] = _read(name, declared[name], value)
    for name, parameter in declared.items():
        if parameter.required and name not in values:
            raise refused(f"Missing required param: {name}.", code="parameter_missing", param=name)
    return values, expand


def _read(name: str, parameter: Parameter, text: str) -> Value:
    code, lowest, highest, message = None, parameter.lowest, parameter.highest, ""
    match parameter.type:
        case "integer":
            code = "parameter_invalid_integer"
            if not _INTEGER.fullmatch(text):
                message = f"Invalid integer: {text}"
            elif (lowest is not None and int(text) < lowest) or (highest is not None and int(text) > highest):
                message = f"Invalid {name}: must be " + (
                    f"at least {lowest}" if highest is None else f"from {lowest} to {highest}"
                )
        case "flag" if text not in ("true", "false"):
            message = f"Invalid boolean: {text}"
        case "text" if parameter.choices and text not in parameter.choices:
            *others, last = parameter.choices
            message = f"Invalid {name}: must be " + (f"one of {', '.join(others)} or {last}" if others else last)
    if message:
        raise refused(message, code=code, param=name)
    return int(text) if parameter.type == "integer" else text == "true" if parameter.type == "flag" else text


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
    for name, one in parameters.items():
        if OWN in one.choices:
            own = shapes()[said["kinds"][0]].fields[name]["enum"]
            parameters[name] = one._replace(choices=[*own, *one.choices[1:]])
    made = Operation(**{"does": does} | said)
    if made.does == "list" and len(made.kinds) > 1:
        parameters["object"] = Parameter(choices=made.kinds)
    if made.listed and made.paged:
        parameters["limit"] = Parameter("integer", lowest=1, highest=made.limit or 100)
        if made.does != "search":
            parameters |= {"starting_after": Parameter(), "ending_before": Parameter()}
    return made._replace(parameters=parameters)


DECLARED: dict[str, Any] = data_file(__file__, "operations")
OBJECTS, LISTS, SEARCHES, DELETIONS, FILES = (
    {path: _operation(does, said) for path, said in DECLARED[name].items()}
    for name, does in (("objects", "one"), ("lists", "list"), ("searches", "search"), ("deletions", "delete"), ("files", ""))
)


def resource_of(path: str) -> str:
    """What a path is about, as permissions of restricted keys name it: its first word without the plural s."""
    return path.split("/")[2].removesuffix("s")


RESOURCES = {
    operation.kinds[0]: resource_of(path) for path, operation in sorted(OBJECTS.items(), key=lambda one: -one[0].count("/"))
}
"""By kind, the permission to read its objects; what has no path of its own comes with its owner."""


class Routes:
    """Finds the operation of a method and a path such as ``/v1/customers/{customer}``."""

    def __init__(self, *tables: tuple[str, Mapping[str, Operation]]) -> None:
        self._known = sorted(
            ((method, path.split("/"), operation) for method, table in tables for path, operation in table.items()),
            key=lambda one: [part.startswith("{") for part in one[1]],  # a name goes before a placeholder
        )

    def match(self, method: str, path: str) -> tuple[Operation, dict[str, str]] | None:
        """The operation, and what the path has in place of its placeholders, or None."""
        asked = path.split("/")
        for known, parts, operation in self._known:
            if known == method and len(parts) == len(asked):
                pairs = list(zip(parts, asked, strict=True))
                if all(part == one or (part.startswith("{") and one) for part, one in pairs):
                    return operation, {part[1:-1]: one for part, one in pairs if part.startswith("{")}
        return None


class Call:
    """A recognised request, with the objects that its key can read.

    `ids` are the values of the path's placeholders by name, from left to right; `values` what its query says by name.

    Raises:
        ApiError: 400, for a query that the operation does not take, or a live key that asks for test clocks; 403, for a key
            that may not read what is to be expanded.
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
        self._tree, added = tree(expand, operation.kinds, listed=operation.listed)
        for kinds in added:  # the facts do not say where the service looks first; here the paths are checked before
            needed = [RESOURCES[kind] for kind in kinds if kind in RESOURCES]
            if lacking := key.lacking(needed, ("read", "write"), reader.own_account):
                raise lacking
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
