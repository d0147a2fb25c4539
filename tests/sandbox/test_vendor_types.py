"""Every object of the payments world, held against the types of the installed official client.

The client speaks a later version than the sandbox: what is told below are fields that went since. Each count is asserted,
so that no other deviation can hide behind them.
"""

from __future__ import annotations

from collections import Counter

from registry.sandbox.payments.builder import Datasets
from registry.sandbox.payments.datasets import DATASETS
from registry.sandbox.payments.reading import Reader
from registry.sandbox.payments.rendering import Renderer
from registry.sandbox.payments.service import store
from registry.sandbox.payments.shapes import shapes
from tests.sandbox.test_world_references import WORLD
from tests.sandbox.vendor_types import deviations, type_of

KNOWN = {
    # Called `country` from 2026-09-30.endive on, as the service's list of changes says; the sandbox's version has `countries`.
    "financial_connections.session": {"unknown filters.countries": 5},
}
"""By type of object, how many objects have each deviation."""


def test_every_object_has_the_shape_that_the_official_client_knows() -> None:
    kept = store()
    reader = Reader(WORLD, kept, Datasets(WORLD, kept, DATASETS), live=False)
    renderer = Renderer(reader)
    found: dict[str, Counter[str]] = {}
    looked_at = 0
    for kind in shapes():
        vendor = type_of(kind)
        for one in reader.every((kind,), {}) if vendor is not None else ():
            looked_at += 1
            if told := set(deviations(renderer.object(kind, one.row), vendor)):
                found.setdefault(kind, Counter()).update(told)
    kept.close()
    assert {kind: dict(counts) for kind, counts in found.items()} == KNOWN
    assert looked_at > 3_900


def test_what_does_not_fit_is_told() -> None:
    vendor = type_of("tax_id")
    assert type_of("nothing") is None
    told = set(deviations({"object": "tax_id", "id": 7, "owner": {"type": None, "more": 1}, "type": None}, vendor))
    assert {"type id", "null type", "null owner.type", "unknown owner.more", "missing created"} <= told
