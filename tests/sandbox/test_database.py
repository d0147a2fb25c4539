"""The sandbox's databases: transactions that nest, sequences, indexes made late, and statements that can be interrupted."""

import os
import signal
import sqlite3
import threading
from contextlib import closing

import pytest

from registry.sandbox.store import PASSING, Database, Store

ENDLESS = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n"


def test_an_interrupt_ends_a_long_statement() -> None:
    interrupt = threading.Thread(target=os.kill, args=(os.getpid(), signal.SIGINT))

    def work() -> None:
        with database.interruptible():
            interrupt.start()
            database.connection.execute(ENDLESS)

    with closing(Database()) as database:
        with pytest.raises(KeyboardInterrupt):
            work()
        interrupt.join()
        assert database.tables() == []


def test_stores_share_a_database_and_see_their_own_only() -> None:
    with closing(Database()) as database:
        one, other = Store({}, database, "one/"), Store({}, database, "other/")
        one.add("thing", [("a", 1, {"x": 1})])
        assert other.get("thing", "a") is None
        assert Store({}, database, "one/").get("thing", "a") == one.get("thing", "a")
        assert [one.next("n"), other.next("n"), one.next("n"), one.next("m")] == [1, 1, 2, 1]

        def failing() -> None:
            with one.changes():
                one.add("new", [("b", 1, {})])
                one.next("n")
                raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            failing()
        assert one.get("new", "b") is None
        assert one.next("n") == 3
        with pytest.raises(sqlite3.IntegrityError):
            one.add("thing", [("a", 2, {})])


def indexed(database: Database) -> set[str]:
    return {name for (name,) in database.connection.execute("SELECT name FROM sqlite_master WHERE type = 'index' AND sql > ''")}


def test_filling_makes_the_same_indexes_in_the_end() -> None:
    rows = [(f"id{number}", number % 7, {"owner": str(number % 3)}) for number in range(50)]
    told: list[float] = []
    with closing(Database()) as early, closing(Database(PASSING)) as late:
        Store({"thing": ["owner"]}, early).add("thing", rows)
        store = Store({"thing": ["owner"]}, late)
        with store.filling(told.append):
            store.add("thing", rows)
            assert indexed(late) == set()
        assert indexed(late) == indexed(early) != set()
        assert told == [1.0]
        assert store.count("thing", {"owner": "1"}) == 17
        with pytest.raises(sqlite3.IntegrityError), store.filling(told.append):
            store.add("other", [("a", 1, {}), ("a", 1, {})])
        store.add("other", [("a", 1, {})])
        assert store.count("other") == 1
