"""Everything that is in a payments world, as it is written when a sandbox starts, and where its references lead."""

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from registry.sandbox.payments.datasets import DATASETS, write_cohort
from registry.sandbox.payments.datasets.crowd import further
from registry.sandbox.payments.shapes import Builder, kinds_of, shapes
from registry.sandbox.store import Store, StoredRow
from registry.sandbox.world import World

NOW = 1_760_000_000
WORLD = World(1, NOW)
ROUGH = World(1, NOW, rough=True)
LARGER = World(1, NOW, customers=400)
"""The story and a few hundred customers besides, in two cohorts, who keep the same rules."""

Rows = dict[str, list[StoredRow]]


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
    return {kind: store.every(kind, oldest_first=True) for kind in kinds}


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
