"""Every id in the payments world leads to an object, every field has its type, and every kind is there often enough."""

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from registry.sandbox.payments.builder import Builder
from registry.sandbox.payments.datasets import DATASETS, write_cohort
from registry.sandbox.payments.datasets.crowd import further
from registry.sandbox.payments.operations import LISTS
from registry.sandbox.payments.searching import FIELDS
from registry.sandbox.payments.shapes import kinds_of, shapes
from registry.sandbox.store import Store, StoredRow
from registry.sandbox.world import World

NOW = 1_760_000_000
WORLD = World(1, NOW)
ROUGH = World(1, NOW, rough=True)
LARGER = World(1, NOW, customers=400)
"""The story and a few hundred customers besides, in two cohorts, who keep the same rules."""

Rows = dict[str, list[StoredRow]]

SINGLE = {
    "application": "few objects name one, and all name the marketplace",
    "balance": "an account has one",
    "balance_settings": "an account has one",
    "tax.settings": "an account has one",
}
COMPUTED = {"billing.meter_event_summary": "the service sums up the usage events for the window that is asked for"}

NO_SHAPE = {("charge", "outcome.rule")}


@lru_cache(maxsize=12)
def written(world: World) -> Rows:
    """Everything in a world, by kind, oldest first; hidden kinds too."""
    store = Store({})
    kinds: dict[str, None] = {}
    for dataset in DATASETS:
        builder = Builder(world, store)
        dataset.write(builder)
        builder.flush()
        kinds |= dict.fromkeys(sorted(dataset.kinds))
    builder = Builder(world, store)
    for cohort in further(world):
        write_cohort(builder, cohort)
        builder.flush()
    found = {kind: store.every(kind, oldest_first=True) for kind in kinds}
    store.close()
    return found


def by_id(world: World, kind: str) -> dict[str, StoredRow]:
    """The objects of a kind."""
    return {row.id: row for row in written(world)[kind]}


def inside(value: Any, steps: list[str]) -> Iterator[Any]:
    """What a dotted path leads to; null and absent parts lead nowhere."""
    if value is None:
        return
    if not steps:
        yield from value if isinstance(value, list) else [value]
    elif steps[0] == "[]":
        for one in value:
            yield from inside(one, steps[1:])
    elif isinstance(value, dict):
        yield from inside(value.get(steps[0]), steps[1:])


def references(kind: str, row: StoredRow) -> Iterator[tuple[str, list[str], str]]:
    """Every reference of an object: the field, the kinds that it may lead to, the id."""
    shape = shapes()[kind]
    for name, field in shape.fields.items():
        target = field.get("ref")
        if target is None and field["type"] in ("array", "object", "map") and _holds_objects(field):
            target = field["of"]
        if target is not None and field["type"] != "list":
            yield from ((name, kinds_of(target), id_) for id_ in inside(row.body.get(name), []))
    for path, about in shape.inside.items():
        steps = path.replace("[]", ".[]").split(".")
        yield from ((path, kinds_of(about["ref"]), id_) for id_ in inside(row.body, steps))
    yield from hidden_references(kind, row)


def _holds_objects(field: dict[str, Any]) -> bool:
    return all(kind in shapes() for kind in kinds_of(field.get("of", "")))


def hidden_references(kind: str, row: StoredRow) -> Iterator[tuple[str, list[str], str]]:
    """The references of fields that are not shown."""
    kinds = {
        "_owner": ["quote", "checkout.session", "payment_link"],
        "_credit_note": ["credit_note"],
        "_product": ["product"],
        "_customer": ["customer"],
        "_session": ["financial_connections.session"],
        "_calculation": ["tax.calculation"],
        "_transaction": ["tax.transaction"],
        "_payout": ["payout"],
    }
    for name, targets in kinds.items():
        if name in row.body:
            yield name, targets, row.body[name]
    if "_about" in row.body:
        target, id_ = row.body["_about"]
        yield "_about", [target], id_


def lost(world: World) -> list[tuple[str, str, str, str]]:
    """The references that lead nowhere: (kind, id, field, what it names)."""
    ids = {kind: {row.id for row in rows} for kind, rows in written(world).items()}
    return [
        (kind, row.id, field, id_)
        for kind in shapes()
        for row in written(world).get(kind, ())
        for field, kinds, id_ in references(kind, row)
        if (kind, field) not in NO_SHAPE and not any(id_ in ids.get(one, ()) for one in kinds)
    ]


def test_every_reference_leads_to_an_object() -> None:
    assert lost(LARGER) == []


def test_what_lists_and_searches_look_at_is_in_the_bodies() -> None:
    """Stored bodies are what is filtered, so that such a field must not hide in the shape's default."""
    looked_at = {(kind, name.partition(".")[0]) for kind, fields in FIELDS.items() for name in fields}
    for operation in LISTS.values():
        paths = [(one.path or name).partition(".")[0] for name, one in operation.filters.items()]
        looked_at |= {(kind, path) for kind in operation.kinds for path in paths}
    shown = [(kind, name) for kind, name in looked_at if "default" in shapes()[kind].fields.get(name, {})]
    assert shown == []
    assert ("charge", "disputed") in looked_at
    assert ("terminal.reader", "status") in looked_at


def test_ids_look_like_their_kind() -> None:
    twins = {("payment_method", "card_"), ("plan", "price_")}
    for kind, shape in shapes().items():
        for row in written(WORLD).get(kind, ()):
            fits = not shape.prefix or row.id.startswith(tuple(shape.prefix))
            alone = row.id == "self" or any(kind == one and row.id.startswith(start) for one, start in twins)
            of_owner = kind in ("cash_balance", "treasury.financial_account_features")
            assert fits or alone or of_owner, (kind, row.id)


def test_every_kind_is_there_three_times() -> None:
    for kind in shapes():
        rows = written(WORLD).get(kind, [])
        if kind in COMPUTED:
            assert rows == []
        elif kind in SINGLE:
            assert len(rows) == 1, kind
        else:
            assert len(rows) >= 3, kind


def test_datasets_hold_exactly_the_kinds_that_they_name() -> None:
    told: set[str] = set()
    for dataset in DATASETS:
        store = Store({})
        builder = Builder(WORLD, store)
        dataset.write(builder)
        builder.flush()
        named = dataset.kinds - set(COMPUTED)
        assert all(store.count(kind) for kind in named), dataset.kinds
        everything = set(shapes()) | {"_usage"}
        assert not any(store.count(kind) for kind in everything - named), dataset.kinds
        store.close()
        told |= dataset.kinds
    assert set(shapes()) <= told
