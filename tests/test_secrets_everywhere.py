"""No secret in anything that comes out: marked ones are planted wherever they can enter, and everything is looked through."""

import json
import os
import re
import sqlite3
import zlib
from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from pathlib import Path

import pytest
from textual.widgets import OptionList

from registry.doors import cli
from tests.telltale import telltale
from tests.tui.app import desk
from tui.dialogs.confirm import ConfirmDelete
from tui.dialogs.export import ExportDialog
from tui.dialogs.history import HistoryDialog
from tui.dialogs.questions import ShowAs
from tui.requests.screen import RequestDetails, RequestsDialog
from tui.widgets.texts import Options

MARK = re.compile(rb"MARKED\w*")
ARGUMENT = "pi_1_secret_MARKEDargument"
CREDENTIALS = {
    "PAYMENTS_API_KEY": "sk_live_MARKEDpayments",
    "INCIDENTS_API_TOKEN": "MARKEDincidents",
    "INCIDENTS_ACCESS_TOKEN": "MARKEDoauth",
    "CRM_ACCESS_TOKEN": "MARKEDcrm",
}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Homes and a working folder of the test's own, settings that hold a secret by mistake."""
    for name in ("STATE", "CONFIG", "CACHE", "DATA"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_DOWNLOAD_DIR", str(tmp_path / "downloads"))
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    return tmp_path


@pytest.fixture
def service() -> Iterator[tuple[dict[str, str], list[str]]]:
    """The environment of somebody whose accounts are all at a service that tells what it is sent; and what it is sent."""
    with telltale() as (address, sent):
        bases = {f"{name}_BASE_URL": address for name in ("PAYMENTS", "INCIDENTS", "CRM")}
        yield {**CREDENTIALS, **bases}, sent


def found_in(folder: Path, mark: re.Pattern[bytes] = MARK) -> dict[str, set[bytes]]:
    """The marks in every file below a folder, compressed answers in databases included."""
    found = {}
    for file in folder.rglob("*"):
        if file.is_file():
            try:
                content = file.read_bytes()
            except FileNotFoundError:  # the journal of a database, which is gone by now
                continue
            if content.startswith(b"SQLite format 3"):
                content += b"".join(rows_of(file))
            if marks := set(mark.findall(content)):
                found[str(file.relative_to(folder))] = marks
    return found


def rows_of(file: Path) -> Iterator[bytes]:
    """Every value in a database, as text or decompressed."""
    with closing(sqlite3.connect(file)) as database:
        tables = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        for table in tables:
            for row in database.execute(f'SELECT * FROM "{table}"'):
                for value in row:
                    try:
                        yield zlib.decompress(value) if isinstance(value, bytes) else str(value).encode()
                    except zlib.error:
                        yield value


INTENT = ("call", "RetrievePaymentIntentDetails", "--account", "payments", "--payment-intent-client-secret", ARGUMENT)
RUN = ("run", "marked", "--account", "payments", "--with", f"payment_intent_client_secret={ARGUMENT}")
LISTED = ("--account", "payments", "--search-query-string", "created>0")
LIVE = ("--account", "payments", "--allow-writes")
CREATE = ("call", "CreateCrmUser", "--account", "crm", "--user-email", "a@b.example", "--yes", "--allow-writes")
COMMANDS: tuple[tuple[str, ...], ...] = (
    (*INTENT, "--payment-intent-id", "pi_1"),
    ("saved", "record", "marked", "--last", "1"),
    ("saved", "show", "marked"),
    (*RUN, "--with", "payment_intent=pi_1"),
    (*RUN, "--with", "payment_intent=pi_1", "--format", "csv"),
    (*RUN, "--with", "payment_intent=nobody", "--json"),
    (*RUN[:-1], "payment_intent_client_secret=@nowhere", "--with", "payment_intent=pi_1"),
    (*INTENT, "--payment-intent-id", "pi_1", "--save", "one.json"),
    (*INTENT, "--payment-intent-id", "nobody"),
    (*INTENT, "--payment-intent-id", "pi_1", "--dry-run"),
    ("call", "RetrievePaymentIntentDetails", "--args", json.dumps({"payment_intent_client_secret": [ARGUMENT]})),
    (*INTENT, "--payment-intent-id", "pi_1", "--payment-intent-client-secret", ARGUMENT),
    ("call", "SearchPaymentsCustomers", "--account", "payments", "--search-query-string", "created>0", "--all"),
    ("call", "SearchPaymentsCustomers", "--account", "payments", "--search-query-string", "created>0", "--save", "list.csv"),
    ("call", "SearchPaymentsCustomers", *LISTED, "--save", "duckdb:list.duckdb#list"),
    ("call", "SearchPaymentsCustomers", *LISTED, "--save", "list/"),
    ("sync", "SearchPaymentsCustomers", *LISTED, "--to", "duckdb:list.duckdb#synced", "--json"),
    ("sync", "SearchPaymentsCustomers", *LISTED, "--to", "duckdb:list.duckdb#list"),
    ("sync", "SearchPaymentsCustomers", *LISTED, "--to", "postgresql://ada:MARKEDpostgres@127.0.0.1:1/db#list"),
    ("call", "ListUsers", "--save", "postgresql://127.0.0.1:1/d?user=ada&password=MARKEDpostgres#t"),
    ("call", "ListUsers", "--save", "postgresql://ada:MARKEDpostgres@127.0.0.1:1/d?sslmode=MARKEDpostgres#t"),
    ("call", "DeletePaymentsCustomer", *LIVE, "--customer-id", "nobody", "--confirm", "nobody"),
    CREATE,
    (*CREATE, "--first-name", CREDENTIALS["PAYMENTS_API_KEY"]),
    ("call", "RemoveCrmUser", "--account", "crm", "--user-identifier", "77", "--confirm", "77", "--allow-writes"),
    ("call", "Whoami", "--account", "incidents"),
    ("call", "GetTeam", "--account", "incidents", "--team-id", "nobody"),
    ("page", "cus_A1b2C3d4e5", "--account", "payments", "--markdown"),
    ("history", "--json"),
    ("sql", "--tables"),
    ("sql", "from history.RetrievePaymentIntentDetails", "--csv"),
    ("sql", "select * from SearchPaymentsCustomers"),
    ("audit", "--json"),
    ("audit", "settle"),
    ("doctor",),
    ("doctor", "--json"),
)


def test_the_command_line(
    place: Path, service: tuple[dict[str, str], list[str]], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    environment, sent = service
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    for words in COMMANDS:
        _run(words, capsys)
    typed = iter(
        ["account payments", f"open {INTENT[1]}", "pi_1", "payment_intent_client_secret", "", "json", "fields", "quit"]
    )
    monkeypatch.setattr("registry.doors.line_mode.session._ask", lambda _, hidden: ARGUMENT if hidden else next(typed))
    _run(("--screen-reader",), capsys)
    assert next(typed, None) is None, "everything was asked for"
    monkeypatch.delenv("INCIDENTS_API_TOKEN")
    _run(("call", "Whoami", "--account", "incidents"), capsys)
    used = {mark for value in (*CREDENTIALS.values(), ARGUMENT) for mark in MARK.findall(value.encode())}
    assert set(MARK.findall("".join(sent).encode())) == used, "every secret was used"

    monkeypatch.setattr("registry.doors.cli_call._write_result", lambda *_, **__: _fail())
    _run((*INTENT, "--payment-intent-id", "pi_1"), capsys)
    for base in ("https://me:MARKEDpassword@api.example", "http://MARKEDuser@far.example", "https://a.example/?k=MARKEDquery"):
        monkeypatch.setenv("PAYMENTS_BASE_URL", base)
        _run((*INTENT, "--payment-intent-id", "pi_1"), capsys)
    monkeypatch.setenv("PAYMENTS_BASE_URL", "http://127.0.0.1:1")
    _run((*INTENT[:-2], "--payment-intent-id", "pi_1", "--dry-run"), capsys)
    assert len([*(place / "state").rglob("crash-*.txt")]) == 1
    assert (place / "work" / "one.json").exists()
    assert found_in(place) == {}
    assert {file.stat().st_mode & 0o077 for file in place.rglob("*") if file.is_file()} == {0}


def _fail() -> int:
    key = os.environ["PAYMENTS_API_KEY"]
    raise ValueError(f"cannot print what came for {key} {ARGUMENT}")


def _run(words: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    """Run a command; neither of its outputs may hold a mark."""
    with suppress(SystemExit):
        cli.main(words)
    said = "".join(capsys.readouterr())
    assert said, words
    assert not MARK.findall(said.encode()), (words, said)


@pytest.mark.crashes
async def test_the_screens(place: Path, service: tuple[dict[str, str], list[str]]) -> None:
    environment, sent = service
    pictures: dict[str, str] = {}
    async with desk((120, 40), environment=environment, remembered=place / "state" / "callboard") as one:
        app = one.app
        app.session.chosen |= {"PaymentsApi": "payments", "Incidents": "incidents", "CrmUsersApi": "crm"}

        def picture(name: str) -> None:
            pictures[name] = app.export_screenshot()

        async def leave(kind: type, name: str) -> None:
            await one.until(lambda: isinstance(app.screen, kind), name)
            await one.pilot.pause()
            picture(name)
            await one.press("escape")
            await one.until(lambda: app.screen is one.screen)

        for id_ in ("pi_1", "nobody"):
            await one.open("RetrievePaymentIntentDetails")
            one.screen.form.fill({"payment_intent_id": id_, "payment_intent_client_secret": ARGUMENT})
            await one.pilot.pause()
            picture(f"form {id_}")
            await one.run()
            picture(f"answer {id_}")
            await one.press("f4")
            await one.do("show_as")
            await one.until(lambda: isinstance(app.screen, ShowAs))
            for form in range(3):
                app.screen.query_one(Options).chosen = form
                await one.pilot.pause()
                picture(f"as text {form} {id_}")
            await leave(ShowAs, f"as text {id_}")
        await one.press("alt+left", "f4", "x")
        await one.until(lambda: isinstance(app.screen, ExportDialog))
        await one.pilot.pause()
        await one.press("enter")
        await one.until(lambda: [*(place / "downloads").glob("*.json")], "the saved answer")
        await one.until(lambda: app.screen is one.screen)
        await one.press("t")
        await one.pilot.pause()
        picture("table")

        await one.press("f9")
        await one.until(lambda: isinstance(app.screen, RequestsDialog))
        await one.press("down", "enter")
        await one.until(lambda: isinstance(app.screen, RequestDetails))
        await one.pilot.pause()
        picture("details of a request")
        await one.press("y", "escape")
        await leave(RequestsDialog, "requests")
        await one.press("ctrl+y")
        await one.until(lambda: isinstance(app.screen, HistoryDialog) and app.screen.query_one(OptionList).option_count)
        await leave(HistoryDialog, "history")
        await one.press("f6")
        await one.until(lambda: app.screen is not one.screen)
        await leave(type(app.screen), "connections")
        await one.open("DeletePaymentsCustomer")
        one.screen.form.fill({"customer_id": "cus_1"})
        app.session.engine.policy.open_writing(app.session.connections["payments"], "PaymentsApi")
        await one.press("f5")
        await leave(ConfirmDelete, "what is deleted")
        await one.open("RetrieveSetupIntentDetails")
        one.screen.form.fill(
            {"setup_intent_id": f"pasted {CREDENTIALS['CRM_ACCESS_TOKEN']}", "setup_intent_client_secret": ARGUMENT}
        )
        drafts = place / "state" / "callboard" / "drafts"
        await one.until(lambda: b"RetrieveSetupIntentDetails" in (drafts / "drafts.db").read_bytes())
        assert found_in(drafts) == {}
        await one.run()
        await one.open("Whoami")
        app.unforeseen(_error(), "a test")
        await one.pilot.pause()
        picture("a notice")
        assert app.session.history is not None
        app.session.history.flush()
    used = MARK.findall("".join(sent).encode())
    assert {b"MARKEDpayments", b"MARKEDargument"} <= set(used)
    leaks = {name: set(MARK.findall(text.encode())) for name, text in pictures.items()}
    assert {name: marks for name, marks in leaks.items() if marks} == {}
    assert len([*(place / "state").rglob("crash-*.txt")]) == 1
    assert found_in(place) == {}


def _error(secrets: Mapping[str, str] = CREDENTIALS) -> Exception:
    try:
        raise KeyError(secrets["PAYMENTS_API_KEY"])
    except KeyError as error:
        return error
