"""A walk through the whole payments world by its API alone: every list, every object by its id, every reference to its end.

The walk starts at the lists that need no id and at the searches, and goes on with every id that a response shows. Ids that no
response shows come from webhooks and other programs in real life, and here from the rows that the world was written with.

The walk is long. `test_payments_world` reads every kind of object and list quickly, and `test_world_references` and
`test_world_states` look through what is written.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any, NamedTuple

import pytest

from registry.sandbox.payments.listing import AccountOwners, ExchangeRates, Listing
from registry.sandbox.payments.retrieving import Alone, Capability, OfOwner, One, Template, WithSecret
from registry.sandbox.payments.routes.lists import LISTS, SEARCHES
from registry.sandbox.payments.routes.objects import OBJECTS
from registry.sandbox.payments.shapes import kinds_of, shapes
from registry.sandbox.server import application
from registry.sandbox.store import StoredRow
from tests.sandbox.direct import Direct
from tests.sandbox.payments_addresses import filled, outlived, spots
from tests.sandbox.test_world_references import COMPUTED, NO_SHAPE, NOW, SINGLE, WORLD, inside, written
from tests.sandbox.test_world_states import EXCEPTIONS, listed

Json = dict[str, Any]
Key = tuple[str, str]


class Reference(NamedTuple):
    """A field of an object that holds the id of another."""

    kind: str
    id: str
    field: str
    kinds: tuple[str, ...]
    target: str
    expandable: bool


def reached() -> Direct:
    """The world's API."""
    return Direct(application(seed=WORLD.seed, now=NOW), "http://sandbox/payments", Authorization="Bearer sk_test_walk")


class Walk:
    """What a walk saw."""

    def __init__(self) -> None:
        self.api = reached()
        self.met: dict[Key, Json] = {}
        self.read: dict[Key, str] = {}
        self.references: list[Reference] = []
        self.responses: dict[str, Json | None] = {}
        self.lists: dict[str, int] = {}
        self._waiting: deque[tuple[Json, str]] = deque()

    def run(self) -> None:
        """Walk until nothing new comes, then go on from the ids that only the outside knows."""
        for path, operation in LISTS.items():
            if "{" not in path and not (isinstance(operation, Listing) and _required(operation)):
                self._list(path)
        for path in SEARCHES:
            self._search(path)
        for path, operation in OBJECTS.items():
            if isinstance(operation, Alone):
                self._meet(self._get(path), path)
        self._follow()
        for path, operation in OBJECTS.items():
            for spot in spots(path, operation, written(WORLD), NOW):
                if (spot.kind, spot.id) not in self.met and spot.kind != "discount":
                    self._meet(self._get(spot.address), spot.address)
                    self._follow()

    def _follow(self) -> None:
        while self._waiting:
            shown, address = self._waiting.popleft()
            kind, id_ = key_of(shown)
            self._read(kind, id_, shown, address)
            for path, operation in LISTS.items():
                if isinstance(operation, Listing):
                    required = _required(operation)
                    if operation.owner == kind and not outlived(kind, _row(shown), NOW):
                        self._list(filled(path, [id_]))
                    if required and kind in required:
                        self._list(f"{path}?{required[kind]}={id_}")
                elif isinstance(operation, AccountOwners) and kind == "financial_connections.account" and shown["ownership"]:
                    self._list(f"{filled(path, [id_])}?ownership={_id(shown['ownership'])}")

    def _read(self, kind: str, id_: str, shown: Json, address: str) -> None:
        """Read an object by its id wherever that can be done, and note where its fields lead."""
        for path, operation in OBJECTS.items():
            owner = None
            match operation:
                case One(kinds=kinds) if kind in kinds:
                    if operation.owner:
                        owner = _id(shown.get(operation.by)) or _owner_in(address, path)
                        if not owner:
                            continue
                    ids = [owner, id_] if owner else [id_]
                    if outlived(kind, _row(shown), NOW) or not path.startswith("/v1"):
                        continue
                    self._take(kind, id_, filled(path, ids))
                case WithSecret(kind=one) if one == kind:
                    self._take(kind, id_, filled(path, [id_]))
                case Template() if kind == "invoice_rendering_template":
                    self._take(kind, id_, filled(path, [id_]))
                case OfOwner() if operation.owner == kind:
                    self._meet(self._get(filled(path, [id_])), filled(path, [id_]))
                case Capability() if kind == "capability":
                    self._take(kind, id_, filled(path, id_.split("/")))
        for text in (shown.get("metadata") or {}).values():
            self._try_noted(kind, id_, text)
        for reference in references(self.met[kind, id_]):
            if reference.target:
                self.references.append(reference)
                self._look_up(reference)

    def _try_noted(self, kind: str, id_: str, text: str) -> None:
        """Read what the company noted down about an object, if that looks like an id."""
        for path, operation in OBJECTS.items():
            if isinstance(operation, One | WithSecret):
                kinds = operation.kinds if isinstance(operation, One) else (operation.kind,)
                if any(text.startswith(tuple(shapes()[one].prefix)) for one in kinds if shapes()[one].prefix):
                    owned = isinstance(operation, One) and operation.owner
                    if not owned or owned == kind:
                        address = filled(path, [id_, text] if owned else [text])
                        self._meet(self._get(address), address)

    def _look_up(self, one: Reference) -> None:
        """Read what a field refers to, if its id is enough for that."""
        if not any((kind, one.target) in self.met for kind in one.kinds):
            for kind in one.kinds:
                for address in ownerless(kind, one.target):
                    self._meet(self._get(address), address)

    def _take(self, kind: str, id_: str, address: str) -> None:
        found = self._get(address)
        if found is not None and key_of(found) == (kind, id_):
            self._meet(found, address)
            if (kind, id_) not in self.read:
                self.read[kind, id_] = address
                paths = "&".join(f"expand[]={path}" for path in expandable(kind))
                self._meet(self._get(f"{address}?{paths}") if paths else None, address)

    def _get(self, address: str) -> Json | None:
        if address not in self.responses:
            response = self.api.send("GET", address)
            assert response.status_code in (200, 400, 404), (address, response.text)
            self.responses[address] = response.json() if response.status_code == 200 else None
        return self.responses[address]

    def _list(self, address: str) -> None:
        if address in self.lists:
            return
        self.lists[address] = 0
        joint, cursor = "&" if "?" in address else "?", ""
        paged = not address.endswith(("/capabilities", "/report_types"))
        while True:
            query = "" if not paged or "/exchange_rates" in address else f"{joint}limit=100{cursor}"
            page = self._get(address + query)
            assert page is not None, address
            for one in page["data"]:
                self._meet(one, address)
            self.lists[address] += len(page["data"])
            if not page["has_more"]:
                return
            cursor = f"&starting_after={page['data'][-1]['id']}"

    def _search(self, path: str) -> None:
        page, token = None, ""
        while page is None or page["has_more"]:
            page = self._get(f"{path}?query=-metadata['no']:'x'&limit=100{token}")
            assert page is not None
            for one in page["data"]:
                self._meet(one, path)
            token = f"&page={page['next_page']}"

    def _meet(self, value: Any, address: str) -> None:
        """Note every object in a value, however deep; wait to follow those that are new."""
        if isinstance(value, list):
            for one in value:
                self._meet(one, address)
        elif isinstance(value, dict):
            if isinstance(value.get("object"), str) and value["object"] in shapes():
                value = value if "id" in value else value | {"id": f"of {address}"}
                key = key_of(value)
                if key not in self.met or len(self.met[key]) < len(value):
                    new = key not in self.met
                    self.met[key] = value
                    if new:
                        self._waiting.append((value, address))
            for one in value.values():
                self._meet(one, address)


def references(shown: Json) -> Iterator[Reference]:
    """Every id in an object that leads to another one."""
    kind = shown["object"]
    shape = shapes()[kind]
    for name, field in shape.fields.items():
        if "ref" in field and field["type"] != "list":
            for value in inside(shown.get(name), []):
                yield Reference(
                    kind, shown["id"], name, tuple(kinds_of(field["ref"])), _id(value), bool(field.get("expandable"))
                )
    for path, about in shape.inside.items():
        for value in inside(shown, path.replace("[]", ".[]").split(".")):
            place = path.replace("[]", "")
            yield Reference(kind, shown["id"], place, tuple(kinds_of(about["ref"])), _id(value), bool(about.get("expandable")))


def key_of(shown: Json) -> Key:
    """What an object goes by; capabilities have their names in common and are told apart by their accounts."""
    owner = f"{_id(shown['account'])}/" if shown["object"] == "capability" else ""
    return shown["object"], owner + shown["id"]


@cache
def expandable(kind: str) -> tuple[str, ...]:
    """What an object of a kind holds, or names, and shows as a whole only when it is asked for."""
    fields = shapes()[kind].fields.items()
    inner = (path.replace("[]", "") for path, about in shapes()[kind].inside.items() if about.get("expandable"))
    names = (name for name, about in fields if about.get("expandable") or about.get("shown") == "expanded")
    return (*names, *inner)


def ownerless(kind: str, id_: str) -> Iterator[str]:
    """The addresses of an object that name nothing but its own id."""
    for path, operation in OBJECTS.items():
        kinds: Iterable[str] = ()
        if isinstance(operation, One) and not operation.owner:
            kinds = operation.kinds
        elif isinstance(operation, WithSecret):
            kinds = (operation.kind,)
        elif isinstance(operation, Template):
            kinds = ("invoice_rendering_template",)
        if kind in kinds:
            yield filled(path, [id_])


def _required(operation: Listing) -> dict[str, str]:
    """By kind, the parameter that a list needs the id of such an object in."""
    return {one.refers: one.parameter.name for one in operation.filters if one.parameter.required}


def _id(value: Any) -> str:
    return value["id"] if isinstance(value, dict) and "id" in value else value if isinstance(value, str) else ""


def _owner_in(address: str, path: str) -> str:
    """The owner's id in the address of the list that an object was met on, if it is a list of the path's owner."""
    steps, wanted = address.partition("?")[0].split("/"), path.split("/")
    place = next(place for place, step in enumerate(wanted) if step.startswith("{"))
    return steps[place] if len(steps) > place + 1 and steps[:place] == wanted[:place] else ""


def _row(shown: Json) -> StoredRow:
    return StoredRow(shown["id"], shown.get("created", NOW), shown)


def unreadable(kind: str, row: StoredRow) -> bool:
    """Whether an object, or what it is a part of, can no longer be read."""
    if kind == "tax.calculation_line_item":
        calculations = {one.id: one for one in written(WORLD)["tax.calculation"]}
        return outlived("tax.calculation", calculations[row.body["_calculation"]], NOW)
    return outlived(kind, row, NOW)


@cache
def _walked() -> Walk:
    walk = Walk()
    walk.run()
    return walk


@pytest.fixture(scope="module")
def walk() -> Walk:
    return _walked()


@pytest.mark.long
def test_the_walk_reads_every_list(walk: Walk) -> None:
    for path, operation in LISTS.items():
        if isinstance(operation, Listing | AccountOwners | ExchangeRates):
            start, _, rest = path.partition("{")
            end = rest.partition("}")[2]
            lengths = [
                number
                for address, number in walk.lists.items()
                if address.startswith(start) and address.partition("?")[0].endswith(end or start)
            ]
            assert sum(lengths) > 0, path


@pytest.mark.long
def test_the_walk_meets_the_whole_world(walk: Walk) -> None:
    """What the API shows is all that was written, but for what can no longer be read."""
    for kind in shapes().keys() - COMPUTED.keys():
        rows = [row for row in written(WORLD)[kind] if not row.body.get("_live_only") and not unreadable(kind, row)]
        met = {id_ for one, id_ in walk.met if one == kind}
        if "id" not in shapes()[kind].fields:
            assert met, kind
        else:
            assert {row.id for row in rows} - met == set(), kind
            assert len(met) >= (1 if kind in SINGLE else 3), kind


@pytest.mark.long
def test_every_object_can_be_read_by_its_id(walk: Walk) -> None:
    """Kinds without a path of their own are met in others only."""
    readable = {kind for kind, _ in walk.read}
    alone = set(shapes()) - readable
    assert alone - {kind for kind in alone if "id" not in shapes()[kind].fields} == WITHOUT_PATH
    unread = [key for key in walk.met if key[0] in readable and key not in walk.read]
    assert {key[0] for key in unread} <= PARTLY.keys(), unread
    assert len(unread) < 10


WITHOUT_PATH = {
    "application", "billing.meter_event_summary", "credit_note_line_item", "discount",
    "financial_connections.account_owner", "financial_connections.account_ownership", "item", "line_item",
    "setup_attempt", "tax.calculation_line_item", "tax.transaction_line_item",
}  # fmt: skip
PARTLY = {
    "card": "those within tokens belong to nobody whose path could lead to them",
    "reporting.report_type": "some are for live keys only",
}


@pytest.mark.long
def test_no_reference_leads_nowhere(walk: Walk) -> None:
    """Every id in every field that refers to something leads to an object: by its own path, or by expanding the field."""
    known = {(kind, id_) for kind, id_ in walk.met}
    lost = []
    for one in set(walk.references):
        if (one.kind, one.field) in NO_SHAPE or any((kind, one.target) in known for kind in one.kinds):
            continue
        if any(walk._get(address) for kind in one.kinds for address in ownerless(kind, one.target)):
            continue
        address = walk.read.get((one.kind, one.id))
        response = walk.api.send("GET", address, params={"expand[]": one.field}) if address and one.expandable else None
        shown = list(inside(response.json(), one.field.split("."))) if response is not None and response.is_success else []
        if not any(_id(value) == one.target and isinstance(value, dict) for value in _flat(shown)):
            lost.append(one)
    assert lost == []
    assert len({(one.kind, one.field) for one in walk.references}) > 150
    assert len(walk.references) > 3_000


def _flat(values: list[Any]) -> Iterator[Any]:
    for value in values:
        if isinstance(value, list):
            yield from _flat(value)
        else:
            yield value


def _states(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


@pytest.mark.long
def test_every_documented_state_is_shown(walk: Walk) -> None:
    missing = {}
    for kind, name in listed():
        shown = {state for (one, _), found in walk.met.items() if one == kind for state in _states(found.get(name))}
        left = set(shapes()[kind].fields[name]["enum"]) - shown - set(EXCEPTIONS.get((kind, name), {}))
        if left:
            missing[kind, name] = left
    assert missing == {}


def test_lists_of_everything_leave_test_clocks_out() -> None:
    """What hangs on a test clock is on a list only when its customer or its clock is named."""
    with reached() as api:
        on_clocks = {row.id: row.body["test_clock"] for row in written(WORLD)["customer"] if row.body.get("test_clock")}
        hidden = 0
        for path, operation in LISTS.items():
            if not isinstance(operation, Listing) or "{" in path or _required(operation):
                continue
            page = api.get(path, **({"limit": 100} if operation.paged else {}))
            while page["data"]:
                for one in page["data"]:
                    assert one.get("customer") not in on_clocks, (path, one["id"])
                    assert not one.get("test_clock"), (path, one["id"])
                if not page["has_more"]:
                    break
                page = api.get(path, limit=100, starting_after=page["data"][-1]["id"])
            if any(one.parameter.name == "customer" for one in operation.filters):
                hidden += sum(len(api.get(path, customer=customer)["data"]) for customer in on_clocks)
    assert hidden > 3
