"""A large payments world: the story with many customers besides, as coherent, as quick to read, and built in little memory."""

import itertools
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from registry.sandbox import keeping
from registry.sandbox.keeping import STORY, NotKept, fill
from registry.sandbox.payments.datasets.crowd import COHORT, further
from registry.sandbox.payments.service import store
from registry.sandbox.store import PASSING, Database
from registry.sandbox.world import World
from tests import sampled
from tests.sandbox.written_worlds import NOW, WORLD, Rows, written

COHORTS = 8
"""In the large world of the long suite."""


def silent(part: float) -> None:
    """Hears nothing."""


@pytest.fixture(scope="module", params=[2, *sampled.further(COHORTS)], ids="{} cohorts".format)
def world(request: pytest.FixtureRequest) -> World:
    return World(1, NOW, customers=STORY + request.param * COHORT)


@pytest.fixture(scope="module")
def progress(world: World) -> list[float]:
    """What was told while the large world was written."""
    return []


@pytest.fixture(scope="module")
def large(world: World, progress: list[float]) -> Iterator[Database]:
    with closing(Database(PASSING)) as database:
        fill(world, database, progress.append)
        yield database


@pytest.fixture(scope="module")
def rows(large: Database) -> Rows:
    """Everything in the large world, oldest first."""
    kinds = [name.removeprefix("payments/") for name in large.tables() if name.startswith("payments/")]
    kept = store(large)
    return {kind: kept.every(kind, oldest_first=True) for kind in kinds if kind != "_numbers"}


def test_the_story_is_in_it_unchanged(rows: Rows) -> None:
    """Only what counts everybody in is different: payouts, what they took, and the balance."""
    for kind, told in written(WORLD).items():
        if kind in ("payout", "balance", "balance_transaction"):
            continue
        there = {row.id: row for row in rows.get(kind, ())}
        assert [there.get(row.id) for row in told] == told, kind
    ids = {row.id for row in rows["balance_transaction"]}
    assert sum(row.id not in ids for row in written(WORLD)["balance_transaction"]) == 0


def made_up(world: World) -> list[tuple[Any, ...]]:
    return [(one.name, one.buyers, one.deals, one.disputes, one.ledgers) for one in further(world)]


def test_the_same_seed_gives_the_same_customers_however_many_follow() -> None:
    small, larger = (made_up(World(1, NOW, customers=STORY + number * COHORT)) for number in (2, 3))
    assert larger[:2] == small
    assert made_up(World(1, NOW + 1, customers=STORY + 2 * COHORT)) == small
    assert made_up(World(2, NOW, customers=STORY + 2 * COHORT)) != small


def test_progress_goes_from_nothing_to_everything(large: Database, progress: list[float]) -> None:
    assert progress == sorted(progress)
    assert (progress[0] < 0.1, progress[-1], len(progress) > 10) == (True, 1, True)


class _Stopped(Exception):
    """Somebody stopped the building."""


@pytest.mark.parametrize(
    ("at", "reason"),
    sampled.chosen(
        itertools.product([0.01, 0.3, 0.85], [KeyboardInterrupt, _Stopped]),
        [(0.01, KeyboardInterrupt), (0.85, _Stopped)].__contains__,
    ),
)
def test_a_building_that_is_stopped_leaves_nothing(reason: type[BaseException], at: float, tmp_path: Path) -> None:
    def stop(part: float) -> None:
        if part >= at:
            raise reason

    with pytest.raises(reason):
        keeping.in_file(tmp_path / "w.db", None, 400, 1, stop)
    assert list(tmp_path.iterdir()) == []
    kept = keeping.in_file(tmp_path / "w.db", None, None, 1, silent)
    assert kept.customers == 0
    kept.database.close()


def test_a_large_world_is_kept_in_a_file(tmp_path: Path) -> None:
    made = keeping.in_file(tmp_path / "w.db", 5, 300, 1, silent)
    before = [row.id for row in store(made.database).every("customer")]
    made.database.close()
    again = keeping.in_file(tmp_path / "w.db", None, 300, 1, silent)
    assert (again.seed, again.moment, again.customers) == (5, made.moment, 300)
    assert [row.id for row in store(again.database).every("customer")] == before
    assert len(before) == 300
    again.database.close()
    with pytest.raises(NotKept, match="created with --customers 300, not 301"):
        keeping.in_file(tmp_path / "w.db", None, 301, 1, silent)
