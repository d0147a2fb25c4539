"""Worlds on disk: large ones, and those that a file keeps between runs.

A kept file is marked as the sandbox's own; any other file, or one of another version, is not touched. One program uses it at a
time. A new file gets its version when it is complete: one without is what an interrupted build left, and is written anew.
"""

import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from registry.sandbox.payments.datasets import DATASETS, write_cohort
from registry.sandbox.payments.datasets.agreed import BUYERS
from registry.sandbox.payments.datasets.books import books
from registry.sandbox.payments.datasets.crowd import further
from registry.sandbox.payments.service import store
from registry.sandbox.payments.shapes import Builder
from registry.sandbox.store import MEMORY, PASSING, Database, Store
from registry.sandbox.world import World

MOST_CUSTOMERS = 1_000_000
VERSION = 6
"""The version of the tables and the world's content: an older file does not match what the datasets still have to write."""

STORY = len(BUYERS)
"""How many customers every world has."""

_SUMMED, _WRITTEN = 0.08, 0.95
"""The part of the work that is done, about, when the books are closed and when all customers are written."""

_INCOMPLETE = 0  # the version of a file that has none
_OURS = 0x43_41_4C_4C
_MAGIC = b"SQLite format 3\0"
_VERSION_AT, _OURS_AT, _HEADER = 60, 68, 100

Tell = Callable[[float], None]
"""Takes the part of the work that is done, from 0 to 1."""


class NotKept(Exception):
    """A world that cannot be opened, made or removed; says in words why and what to do instead."""


class Kept(NamedTuple):
    """An open world: its database, its seed, when it was made (Unix seconds), and its number of customers."""

    database: Database
    seed: int
    moment: int
    customers: int
    rough: bool = False


def in_passing(seed: int, customers: int | None, tell: Tell, *, rough: bool = False) -> Kept:
    """A world that does not outlive the program: in memory, or in a nameless file of the temporary folder when it is large.

    Raises:
        NotKept: too many customers, or no disk space for them.
    """
    database = Database(MEMORY if customers is None else PASSING)
    try:
        return _made(database, seed, customers, tell, rough=rough)
    except BaseException as error:
        database.close()
        if isinstance(error, sqlite3.Error):
            raise NotKept(f"cannot write the temporary file for {customers} customers: {error}") from error
        raise


def in_file(
    path: Path, seed: int | None, customers: int | None, default_seed: int, tell: Tell, *, rough: bool | None = None
) -> Kept:
    """The world in a file, which is made if it does not exist.

    Args:
        path: the file.
        seed: what the world must be made from; None takes a kept world as it is and makes a new one from `default_seed`.
        customers: how many it must have; None takes a kept world as it is and makes a new one of the usual size.
        default_seed: see above.
        tell: called with the progress of making a large world.
        rough: whether it must be the rough world; None takes a kept world as it is and makes the usual one.

    Raises:
        NotKept: it is not a sandbox's file, another version's, in use, another world than was asked for, or unusable.
    """
    with _explained(path):
        version = _version(path)
        if version not in (None, _INCOMPLETE, VERSION):
            way_out = "use another file with --data, or delete this one with callboard sandbox reset"
            raise NotKept(
                f"{path} was written by another version of Callboard (its format is {version}, not {VERSION}); {way_out}"
            )
        if version == _INCOMPLETE:
            with suppress(sqlite3.DatabaseError):  # it may be damaged; in use it must not be
                _locked(path).close()
            path.unlink()
        if version != VERSION:
            _make(path, default_seed if seed is None else seed, customers, tell, rough=bool(rough))
        database = _locked(path)
        try:
            made = Store({}, database, "world/").get("made", "made")
            if made is None:
                raise NotKept(f"{path} has no sandbox data; delete it with callboard sandbox reset")
            said = made.body
            kept = Kept(database, int(said["seed"]), made.created, int(said["customers"]), bool(said["rough"]))
            _compare(path, "seed", seed, kept.seed)
            _compare(path, "customers", customers, kept.customers or None)
            worlds = {True: "rough", False: "usual", None: None}
            _compare(path, "world", worlds[rough], worlds[kept.rough])
            database.connection.execute("PRAGMA journal_mode = WAL")
            database.connection.execute("PRAGMA synchronous = NORMAL")
        except BaseException:
            database.close()
            raise
    return kept


def _compare(path: Path, option: str, wanted: int | str | None, found: int | str | None) -> None:
    if wanted is not None and wanted != found:
        made = f"no --{option}" if found is None else f"--{option} {found}"
        way_out = f"remove --{option}, use another file, or delete this one with callboard sandbox reset"
        raise NotKept(f"{path} was created with {made}, not {wanted}; {way_out}")


def remove(path: Path) -> bool:
    """Remove a kept world; False if there is none.

    Raises:
        NotKept: it is not a sandbox's file, or in use.
    """
    with _explained(path):
        there = _version(path) is not None
        if there:
            database = _locked(path)
            path.unlink()
            database.close()
            for ending in ("-wal", "-journal"):
                path.with_name(path.name + ending).unlink(missing_ok=True)
    return there


def _made(database: Database, seed: int, customers: int | None, tell: Tell, *, rough: bool) -> Kept:
    """Write a new world into an empty database; what no customers were asked for is left for the datasets to write."""
    world = World(seed, int(time.time()), None, customers or 0, rough)
    with database.interruptible(), database.changes():
        if customers is not None:
            if not STORY <= customers <= MOST_CUSTOMERS:
                raise NotKept(f"must be from {STORY} to {MOST_CUSTOMERS} customers; got {customers}")
            fill(world, database, tell)
        made = {"seed": seed, "customers": world.customers, "rough": rough}
        Store({}, database, "world/").add("made", [("made", world.now, made)])
    return Kept(database, seed, world.now, world.customers, rough)


def fill(world: World, database: Database, tell: Tell) -> None:
    """Write the whole payments world: the named customers, and as many further customers as it has. All of it, or nothing.

    It takes the memory of a small world.
    """
    kept = store(database)
    with kept.filling(lambda part: tell(_WRITTEN + (1 - _WRITTEN) * part)):
        books(world, lambda part: tell(_SUMMED * part))
        builder = Builder(world, kept)
        for dataset in DATASETS:
            dataset.store(builder)
        written = 0
        for cohort in further(world):
            write_cohort(builder, cohort)
            builder.flush()
            written += len(cohort.buyers)
            tell(_SUMMED + (_WRITTEN - _SUMMED) * written / world.customers)


def _make(path: Path, seed: int, customers: int | None, tell: Tell, *, rough: bool) -> None:
    if path.parent.exists() and not path.parent.is_dir():
        raise NotKept(f"cannot create {path}: {path.parent} is not a folder")
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    try:
        with closing(_locked(path)) as database:
            # From here on the file is marked as ours, even if the program is killed.
            database.connection.execute(f"PRAGMA application_id = {_OURS}")
            database.connection.execute("PRAGMA journal_mode = MEMORY")
            _made(database, seed, customers, tell, rough=rough)
            database.connection.execute(f"PRAGMA user_version = {VERSION}")
            with path.open("rb") as whole:
                os.fsync(whole.fileno())
    except BaseException:
        path.unlink()
        raise


def _locked(path: Path) -> Database:
    """The file's database, which nobody else can open until it is closed."""
    database = None
    try:
        database = Database(str(path))
        database.connection.execute("BEGIN EXCLUSIVE")
        database.connection.execute("COMMIT")
    except sqlite3.OperationalError as error:
        if database:
            database.close()
        if "locked" not in str(error):
            raise
        raise NotKept(f"another sandbox uses {path}; stop it, or use another file with --data") from error
    return database


def _version(path: Path) -> int | None:
    """The version of a file, which is one of ours; None if there is no file.

    It is read without SQLite, which would already change a file that was left in the middle of a change.
    """
    if not path.exists():
        return None
    if path.is_file():
        with path.open("rb") as file:
            header = file.read(_HEADER)
        if header.startswith(_MAGIC) and int.from_bytes(header[_OURS_AT : _OURS_AT + 4], "big") == _OURS:
            return int.from_bytes(header[_VERSION_AT : _VERSION_AT + 4], "big")
    raise NotKept(f"{path} is not a sandbox file and was left unchanged; use another one with --data")


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise NotKept(f"{path} cannot be used: {error.strerror or error}") from error
    except sqlite3.Error as error:
        raise NotKept(f"{path} cannot be used: {error}") from error
