"""The sandbox's databases: transactions that nest, sequences, and statements that can be interrupted."""

import os
import signal
import sqlite3
import threading
from contextlib import closing

import pytest

from registry.sandbox.store import Database, Store

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
