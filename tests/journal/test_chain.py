"""The chain of the audit log holds every change, and detects a later edit of it."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from registry.calling.arguments import Arguments
from registry.calling.result import Result
from registry.journal import audit as module
from registry.journal.audit import Audit
from registry.journal.chain import FIRST, Link, hash_of, links
from registry.journal.verifying import Fault
from tests.calling.network import LIVE, TOOLS

DELETE = TOOLS["DeletePaymentsCustomer"]


def result(status: int = 200) -> Result:
    return Result(DELETE.name, "payments", status, body=b'{"deleted":true}')


def fill(audit: Audit, count: int = 4) -> None:
    """Changes: two rows each, and a third for the last, of which no answer came."""
    for number in range(count):
        entry = audit.begin(DELETE, Arguments({"customer_id": f"cus_{number}"}), LIVE["payments"], b'{"name":"Ada \\u0000"}')
        last = number == count - 1
        audit.finish(entry, None if last else result())
        if last and entry is not None:
            audit.settle(entry, "done", "It is gone.", [{"at": 1.5, "said": "404"}])


@pytest.fixture
def audit(tmp_path: Path) -> Audit:
    log = Audit(tmp_path / "changes.db")
    fill(log)
    return log


def edited(audit: Audit, *statements: str) -> list[tuple[str, int]]:
    """What is found after somebody has edited the file."""
    with closing(sqlite3.connect(audit._store.file)) as database, database:
        for statement in statements:
            database.execute(statement)
    return [(fault.kind, fault.first) for fault in audit.verify().faults]


def test_each_step_is_a_row_that_holds_the_hash_of_the_one_before(audit: Audit) -> None:
    rows = audit.links()
    assert [one.event for one in rows] == ["sent", "ended"] * 4 + ["settled"]
    assert [one.sequence for one in rows] == list(range(1, 10))
    assert [one.previous for one in rows] == [FIRST, *(one.hash for one in rows[:-1])]
    assert rows[0].values["state"] == "sent"
    assert json.loads(rows[0].values["arguments"]) == {"customer_id": "cus_0"}
    assert rows[1].values["state"] == "done"
    assert not {"place", "process"} & set(rows[0].values)
    assert rows[0].fields["person"]
    found = audit.verify()
    assert (found.rows, found.entries, found.faults) == (9, 4, [])


def test_the_hash_is_the_documented_one() -> None:
    text = f'17:callboard-audit-1,2:ab,2:12,64:{FIRST},6:{{"é"}},'
    assert hash_of("ab", 12, FIRST, '{"é"}') == hashlib.sha256(text.encode()).hexdigest()
    assert hash_of("a", 11, "b", "c") != hash_of("a1", 1, "b", "c") != hash_of("a", 1, "1b", "c")


@pytest.mark.parametrize(
    ("statements", "kinds"),
    [
        (["UPDATE chain SET content = replace(content, 'cus_1', 'cus_9') WHERE sequence = 3"], [("edited", 3), ("entry", 2)]),
        (["UPDATE chain SET hash = hash || '0' WHERE sequence = 9"], [("edited", 9)]),
        (["DELETE FROM chain WHERE sequence = 4"], [("missing", 4), ("entry", 2)]),
        (["DELETE FROM chain WHERE sequence IN (1, 2)"], [("missing", 1), ("entry", 1)]),
        (
            [
                "UPDATE chain SET sequence = 100 WHERE sequence = 3",
                "UPDATE chain SET sequence = 3 WHERE sequence = 5",
                "UPDATE chain SET sequence = 5 WHERE sequence = 100",
            ],
            [("moved", 3), ("moved", 5), ("entry", 2)],
        ),
        (["UPDATE changes SET arguments = '{}' WHERE id = 2"], [("entry", 2)]),
        (["UPDATE changes SET state = 'refused', at = at - 3600 WHERE id = 1"], [("entry", 1)]),
        (["DELETE FROM changes WHERE id = 2"], [("entry", 2)]),
        (
            [
                "INSERT INTO changes (at, connection, mode, tool, effect, arguments, state) "
                "VALUES (1.0, 'x', 'live', 't', 'write', '{}', 'done')"
            ],
            [("entry", 5)],
        ),
    ],
)
def test_what_was_done_to_the_file_is_found(audit: Audit, statements: list[str], kinds: list[tuple[str, int]]) -> None:
    assert edited(audit, *statements) == kinds


def test_a_row_that_was_made_to_fit_is_found_by_the_next_one(audit: Audit) -> None:
    old = audit.links()[2]
    content = old.content.replace("cus_1", "cus_9")
    new = hash_of(old.chain, 3, old.previous, content)
    kinds = edited(audit, f"UPDATE chain SET content = '{content}', hash = '{new}' WHERE sequence = 3")
    assert kinds == [("does not follow", 4), ("entry", 2)]


def test_an_inserted_row_is_found(audit: Audit) -> None:
    before = audit.links()[3]
    content = before.content
    forged = hash_of(before.chain, 5, before.hash, content)
    shift = [f"UPDATE chain SET sequence = {number + 1} WHERE sequence = {number}" for number in range(9, 4, -1)]
    insert = f"INSERT INTO chain VALUES (5, 2, '{before.hash}', '{content}', '{forged}')"
    kinds = edited(audit, *shift, insert)
    assert ("moved", 6) in kinds
    assert ("moved", 10) in kinds


def test_a_chain_that_was_cut_off_together_with_its_entries_shows_nothing_by_itself(audit: Audit) -> None:
    # Only the server's copy shows it: tests/team.
    kinds = edited(audit, "DELETE FROM chain WHERE sequence > 6", "DELETE FROM changes WHERE id = 4")
    assert kinds == []


def test_a_log_from_before_the_chain_is_taken_over_whole(audit: Audit, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = [one.as_line() for one in audit.changes()]
    with closing(sqlite3.connect(audit._store.file)) as database, database:
        database.execute("DROP TABLE chain")
        database.execute("DROP TABLE chain_state")
        database.execute("UPDATE changes SET failure = CAST(x'80ff' AS TEXT) WHERE id = 1")
        database.execute("PRAGMA user_version = 3")
    assert [one.event for one in audit.links()] == ["kept"] * 4
    assert [one.as_line() for one in Audit(audit._store.file).changes(3)] == kept[:3]
    assert audit.verify().faults == []
    fill(audit, 1)
    assert audit.verify().faults == []


def test_the_log_stays_bounded_and_its_beginning_fits(audit: Audit, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MOST", 10)
    monkeypatch.setattr(module, "_AT_ONCE", 4)
    fill(audit, 20)
    found = audit.verify()
    assert found.faults == []
    assert len(audit.changes()) == 10
    assert audit.links()[0].sequence > 20
    assert edited(audit, "DELETE FROM chain WHERE sequence <= (SELECT min(sequence) FROM chain)")[0][0] == "missing"


def test_what_is_not_on_the_server_yet_is_not_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MOST", 4)
    monkeypatch.setattr(module, "_AT_ONCE", 2)
    log = Audit(tmp_path / "changes.db", sends=lambda: True)
    fill(log, 6)
    assert log.links()[0].sequence == 1
    assert log.verify().faults == []
    log.note_sent(5)
    fill(log, 4)
    assert log.links()[0].sequence == 6
    assert log.verify().faults == []


@pytest.mark.long
def test_threads_and_programs_keep_one_chain(audit: Audit) -> None:
    file = audit._store.file
    program = (
        "import sys; from pathlib import Path; from tests.journal.test_chain import fill, Audit;"
        "log = Audit(Path(sys.argv[1])); fill(log, 15); sys.exit(bool(log.notice))"
    )
    others = [subprocess.Popen([sys.executable, "-c", program, str(file)]) for _ in range(2)]
    threads = [threading.Thread(target=fill, args=(Audit(file), 10)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [other.wait(60) for other in others] == [0, 0]
    found = audit.verify()
    assert (found.entries, found.rows, found.faults) == (54, 54 * 2 + 5, [])


def test_the_command_says_which_and_ends_with_its_code(run_audit: Callable[..., tuple[int, str]], audit: Audit) -> None:
    code, out = run_audit("audit", "verify")
    assert (code, "9 rows, 4 entries" in out, "✓" in out) == (0, True, True)
    edited(audit, "UPDATE changes SET answer = '{}' WHERE id = 3", "DELETE FROM chain WHERE sequence = 2")
    code, out = run_audit("audit", "verify")
    assert code == 1
    assert "Row 2 is missing." in out
    assert "Entry 3 was edited: answer." in out
    code, out = run_audit("audit", "verify", "--json")
    told = json.loads(out)
    assert (code, told["rows"]) == (1, 8)
    assert [Fault(**one).kind for one in told["faults"]] == ["missing", "entry", "entry"]


@pytest.fixture
def run_audit(
    audit: Audit, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str]]:
    from registry.doors.cli import main

    folder = audit._store.file.parent
    monkeypatch.setenv("XDG_STATE_HOME", str(folder))
    home = folder / "callboard"
    home.mkdir()
    (home / "changes.db").symlink_to(audit._store.file)

    def run(*words: str) -> tuple[int, str]:
        code = main(list(words))
        return code, capsys.readouterr().out

    return run


def test_links_are_read_in_parts(audit: Audit) -> None:
    assert [one.sequence for one in audit.links(3, 2)] == [4, 5]
    assert all(isinstance(one, Link) and one.fits() for one in audit.links())
    with closing(audit._store.open()) as database:
        assert next(links(database)).sequence == 1
