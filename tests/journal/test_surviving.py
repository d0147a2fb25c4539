"""What the journal has to bear: other programs, full disks, damaged files, a crash in the middle, very many calls."""

import signal
import sqlite3
import subprocess
import sys
import textwrap
from contextlib import closing
from pathlib import Path

import pytest

from registry.journal.entries import SearchQuery
from registry.journal.history import History
from registry.journal.store import JournalError, Store
from tests.journal.calls import ended, record
from tests.terminal import ROOT

_BEGINNING = """
import sys
from pathlib import Path
from registry.journal.history import History
from tests.journal.calls import ended
told = []
history = History(Path(sys.argv[1]), tell=told.append)
"""


def program(code: str, *words: object) -> subprocess.Popen[str]:
    """Start a program of its own that uses the journal in a file."""
    text = _BEGINNING + textwrap.dedent(code)
    command = [sys.executable, "-c", text, *map(str, words)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_a_program_that_stays_loses_nothing_to_programs_that_come_and_go(tmp_path: Path) -> None:
    file = tmp_path / "journal.db"
    code = """
        from registry.journal.entries import SearchQuery
        for number in range(40):
            history.note(*ended(customer_id=f"cus_stays_{number}"))
            assert history.flush(30) and not told, told
            history.search(SearchQuery(), 1)
        history.close()
        assert not told, told
    """
    one = program(code, file)
    gone = 0
    while one.poll() is None or gone < 8:
        # A connection that is closed at once: the last one to close removes the log beside the file.
        record(History(file), [ended(customer_id=f"cus_goes_{gone}")])
        gone += 1
    _, complaints = one.communicate(timeout=60)
    assert one.returncode == 0, complaints
    subjects = [entry.subject for entry in History(file).search(SearchQuery(), 100_000)]
    assert sorted(one for one in subjects if "stays" in one) == sorted(f"cus_stays_{number}" for number in range(40))
    assert len(subjects) == 40 + gone
    with closing(sqlite3.connect(file)) as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_a_full_disk_switches_it_off_and_breaks_no_call(tmp_path: Path) -> None:
    code = """
        import asyncio, resource, signal
        import httpx
        from tests.calling.network import LIVE, ScriptedNetwork
        from tests.opened import opened
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
        import random
        chance = random.Random(1)

        async def calls():
            network = ScriptedNetwork(lambda _: httpx.Response(200, json={"x": chance.randbytes(30_000).hex()}))
            engine = opened(network, history=history)
            for number in range(30):
                result = await engine.run("GetCustomerCards", {"customer_id": f"cus_{number}"}, LIVE["payments"])
                assert result.ok
                history.flush(30)
            await engine.aclose()

        asyncio.run(calls())
        assert len(told) == 1 and "no longer recorded" in told[0] and history.notice == told[0], told
    """
    one = program(code, tmp_path / "journal.db")
    _, complaints = one.communicate(timeout=60)
    assert one.returncode == 0, complaints
    # What was put down before is there, and the file is sound.
    assert 0 < len(History(tmp_path / "journal.db").search(SearchQuery())) < 30


def test_a_crash_in_the_middle(tmp_path: Path) -> None:
    file = tmp_path / "journal.db"
    code = """
        number = 0
        while True:
            history.note(*ended(customer_id=f"cus_{number}"))
            number += 1
            if number % 20 == 0:
                history.flush(30)
                print(number, flush=True)
    """
    one = program(code, file)
    assert one.stdout is not None
    promised = [int(one.stdout.readline()) for _ in range(3)][-1]
    one.send_signal(signal.SIGKILL)
    one.communicate(timeout=60)
    history = History(file)
    subjects = [entry.subject for entry in history.search(SearchQuery(), 100_000)][::-1]
    assert len(subjects) >= promised
    assert subjects == [f"cus_{number}" for number in range(len(subjects))]
    record(history, [ended(customer_id="cus_after")])
    with closing(sqlite3.connect(file)) as database, database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)


@pytest.mark.parametrize("damage", ["all", "middle"])
def test_a_damaged_file(tmp_path: Path, damage: str) -> None:
    file = tmp_path / "journal.db"
    before = History(file)
    record(before, (ended(customer_id=f"cus_{number}") for number in range(200)))
    content = bytearray(file.read_bytes())
    if damage == "all":
        content = bytearray(b"this is no database at all" * 1_000)
    else:
        content[4_096:] = b"\xff" * (len(content) - 4_096)
    file.write_bytes(content)
    told: list[str] = []
    history = History(file, tell=told.append)
    for number in range(3):
        history.note(*ended(customer_id=f"cus_new_{number}"))
    assert history.flush()
    assert len(told) == 1
    assert str(file) in told[0]
    with pytest.raises(JournalError):
        history.search(SearchQuery())
    # Forgetting all begins anew.
    history.forget_all()
    again = History(file)
    record(again, [ended(customer_id="cus_again")])
    assert [entry.subject for entry in again.search(SearchQuery())] == ["cus_again"]


def test_an_older_schema_is_brought_up_to_date_or_left_whole_and_a_newer_one_is_left(tmp_path: Path) -> None:
    file = tmp_path / "some.db"
    first = ("CREATE TABLE IF NOT EXISTS things (name TEXT)",)
    with Store(file, first, "it").writing() as database:
        database.execute("INSERT INTO things VALUES ('kept')")
    with pytest.raises(sqlite3.Error):
        Store(file, [*first, "CREATE TABLE more (name TEXT)", "this is no statement"], "it", version=2).open()
    with closing(Store(file, [*first, "CREATE TABLE more (name TEXT)"], "it", version=2).open()) as database:
        assert [row[0] for row in database.execute("SELECT * FROM things")] == ["kept"]
        assert database.execute("PRAGMA user_version").fetchone()[0] == 2
    told: list[str] = []
    with closing(sqlite3.connect(file)) as database, database:
        database.execute("PRAGMA user_version = 99")
    history = History(file, tell=told.append)
    history.note(*ended(customer_id="cus_2"))
    history.flush()
    assert "newer version" in told[0]
    with pytest.raises(JournalError, match="newer version"):
        history.search(SearchQuery())


def test_a_disk_that_stands_still_delays_nothing(tmp_path: Path) -> None:
    file = tmp_path / "journal.db"
    told: list[str] = []
    history = History(file, tell=told.append)
    record(history, [ended(customer_id="cus_1")])
    other = sqlite3.connect(file)
    other.execute("BEGIN EXCLUSIVE")
    try:
        for number in range(2_000):
            history.note(*ended(customer_id=f"cus_{number}"))
        assert "too slow" in told[0]
    finally:
        other.close()
    assert history.flush(30)
