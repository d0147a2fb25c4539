"""Writing a large payments world at once, in the memory of a small one."""

from __future__ import annotations

from collections.abc import Callable

from registry.sandbox.database import Database
from registry.sandbox.payments.builder import Builder, write
from registry.sandbox.payments.datasets import DATASETS, write_cohort
from registry.sandbox.payments.datasets.agreed import BUYERS
from registry.sandbox.payments.datasets.books import books
from registry.sandbox.payments.datasets.crowd import further
from registry.sandbox.payments.service import store
from registry.sandbox.world import World

Tell = Callable[[float], None]
"""Takes the part of the work that is done, from 0 to 1."""

STORY = len(BUYERS)
"""How many customers every world has."""

_SUMMED, _WRITTEN = 0.08, 0.95
"""What is done, about, when the books are closed and when all customers are written."""


def fill(world: World, database: Database, tell: Tell) -> None:
    """Write the whole world: the named customers, and as many further customers as it has. All of it, or nothing."""
    kept = store(database)
    with kept.filling(lambda part: tell(_WRITTEN + (1 - _WRITTEN) * part)):
        books(world, lambda part: tell(_SUMMED * part))
        builder = Builder(world, kept)
        for dataset in DATASETS:
            write(dataset, builder)
        written = 0
        for cohort in further(world):
            write_cohort(builder, cohort)
            builder.flush()
            written += len(cohort.buyers)
            tell(_SUMMED + (_WRITTEN - _SUMMED) * written / world.customers)
