"""The program's own client against the sandbox as a hostile service, over real HTTP: what must hold whatever comes back.

No traceback, an exit code of the documented ones, nothing on standard output or error that a terminal obeys, JSON that is
JSON, a credential nowhere (output, history, audit log), no line that looks like the program's own, and a change made once with
a true account of it.
"""

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import httpx
import pytest

from registry.doors.cli import main
from registry.doors.output import ExitCode
from registry.engine import open_engine
from registry.sandbox.faults.bodies import SECRET
from registry.sandbox.faults.specification import ENCODINGS, HOSTILE
from registry.sandbox.server import application
from tests.sandbox.serving import served
from tests.terminal import Terminal, choose_account, open_tool

KEY = "sk_test_Planted7hostile5echo"
READ = ("ListPaymentMethodConfigurations", "--account", "payments")
READS = {
    "payments": READ,
    "incidents": ("ListUsers", "--account", "incidents"),
    "crm": ("FetchCrmUsersList", "--account", "crm"),
}
DONE = {ExitCode.OK, ExitCode.SERVICE, ExitCode.CONNECTION}
OBEYED = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f\x80-\x9f\u00ad\u034f\u115f\u180e\u200b\u200e\u200f\u202a-\u202e\u2028\u2029\u2066-\u2069\u3164\ufeff\uffa0]"
)
"""What is never written as it is; an emoji's joiner and variation selectors in texts of people are another matter."""


class Outcome(NamedTuple):
    """A command's end: its exit code and what it wrote."""

    code: int
    out: bytes
    err: bytes

    def is_harmless(self) -> None:
        """Assert what holds for every command whatever it met."""
        assert self.code in DONE, (self.code, self.err)
        for written in (self.out, self.err):
            text = written.decode("utf-8")
            assert not OBEYED.search(text), OBEYED.findall(text)
            assert "Traceback" not in text
            assert KEY not in text
            assert SECRET not in text
        told = self.err.decode().splitlines()
        assert not [line for line in told if line.startswith("callboard: It is deleted")]


class Service:
    """A sandbox whose faults are changed from test to test, and a home that calls to it are remembered in."""

    def __init__(self, address: str, home: Path, capture: pytest.CaptureFixture[bytes]) -> None:
        self.address, self.home, self._capture = address, home, capture

    def fault(self, *texts: str) -> None:
        """Put these faults in force, instead of those that are."""
        httpx.delete(f"{self.address}/sandbox/faults", trust_env=False, verify=False)
        for text in texts:
            assert (
                httpx.post(f"{self.address}/sandbox/faults", json={"fault": text}, trust_env=False, verify=False).status_code
                == 201
            )

    def call(self, *words: str) -> Outcome:
        """Run a command."""
        self._capture.readouterr()
        try:
            code = main(["call", *words])
        except SystemExit as end:
            code = int(end.code or 0)
        return Outcome(code, *self._capture.readouterr())

    def remembers_no_credential(self) -> None:
        """Assert that no file in the home holds the credential."""
        found = kept_in(self.home)
        assert found
        for file, kept in found.items():
            assert KEY.encode() not in kept, file

    def changes(self) -> list[str]:
        """What became of each change, by the audit log."""
        return [change.state for change in open_engine().audit.changes(10)]


def kept_in(home: Path) -> dict[Path, bytes]:
    """Every file below a folder. One that goes meanwhile, as a write-ahead log does, is none."""
    found = {}
    for file in home.rglob("*"):
        with suppress(FileNotFoundError, IsADirectoryError):
            found[file] = file.read_bytes()
    return found


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with served(application(limits=False)) as found:
        yield found


@pytest.fixture
def service(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> Iterator[Service]:
    for name, value in environment(address, tmp_path).items():
        monkeypatch.setenv(name, value)
    found = Service(address, tmp_path, capfdbinary)
    yield found
    found.fault()


def environment(address: str, home: Path) -> dict[str, str]:
    folders = {f"XDG_{name}_HOME": str(home) for name in ("STATE", "CONFIG", "CACHE", "DATA")}
    places = {"PAYMENTS": "/payments", "INCIDENTS": "/incidents", "CRM": "/crm"}
    urls = {f"{name}_BASE_URL": address + path for name, path in places.items()}
    return {**folders, **urls, "PAYMENTS_API_KEY": KEY, "INCIDENTS_API_TOKEN": KEY, "CRM_ACCESS_TOKEN": KEY}


# The quick suite takes one service for each kind of answer, in turn.
@pytest.mark.parametrize(
    ("kind", "name"),
    [
        pytest.param(kind, name, marks=() if (place - number) % len(READS) == 0 else pytest.mark.long)
        for place, kind in enumerate(HOSTILE)
        for number, name in enumerate(READS)
    ],
)
def test_reads(service: Service, kind: str, name: str) -> None:
    """In answers and in refusals, in every character set."""
    for charset in ("", *ENCODINGS) if kind in ("encoding", "echo-credential") else ("",):
        for status in ("", "401"):
            service.fault(f"{name} {kind} {charset} {status}")
            outcome = service.call(*READS[name])
            outcome.is_harmless()
            assert bool(outcome.out) == (outcome.code == ExitCode.OK)
            assert not status or outcome.code != ExitCode.OK
            if outcome.out:
                told = json.loads(outcome.out, parse_constant=_no_number)
                assert KEY.lower() not in json.dumps(told, ensure_ascii=False).lower()
    service.remembers_no_credential()


@pytest.mark.parametrize("form", ["json", "ndjson", "csv", "parquet"])
@pytest.mark.parametrize("kind", HOSTILE)
def test_saved_files(service: Service, kind: str, form: str) -> None:
    service.fault(f"payments {kind}")
    file = service.home / f"answer.{form}"
    service.call(*READ, "--save", str(file)).is_harmless()
    service.remembers_no_credential()
    if file.exists() and form != "parquet":
        text = file.read_text("utf-8")
        assert not OBEYED.search(text.replace("\r\n", "\n")) or form == "csv"
        assert SECRET not in text
        if form == "json":
            json.loads(text, parse_constant=_no_number)


# Behind a 500 it is found out by looking twice, with a pause: once is enough for all kinds.
@pytest.mark.parametrize(
    ("kind", "status"), [*((kind, status) for kind in HOSTILE for status in ("", "409")), ("forge", "500")]
)
def test_a_deletion_is_made_once_and_accounted_for(service: Service, kind: str, status: str) -> None:
    """An answer that cannot be read leaves the account true: what was carried out is done, what was refused is not."""
    people = f"{service.address}/crm/settings/v3/users/"
    headers = {"Authorization": "Bearer sandbox"}
    body = {"email": f"{kind}{status}@fernway.example", "sendWelcomeEmail": False}
    new = httpx.post(people, json=body, headers=headers, trust_env=False, verify=False).json()["id"]
    service.fault(f"crm DELETE {kind} {status}")
    outcome = service.call(
        *("RemoveCrmUser", "--user-identifier", new, "--account", "crm"), "--confirm", new, "--allow-writes", "--yes"
    )
    outcome.is_harmless()
    fault = httpx.get(f"{service.address}/sandbox/faults", trust_env=False, verify=False).json()["faults"][0]
    assert fault["applied"] == 1
    there = httpx.get(people + new, headers=headers, trust_env=False, verify=False).status_code == 200
    assert there is bool(status)
    assert (outcome.code == ExitCode.OK) is not there
    (change,) = service.changes()
    assert change == ("refused" if status == "409" else "not done" if status else "done")
    service.remembers_no_credential()


def test_a_bomb_is_given_up(service: Service) -> None:
    service.fault("payments bomb 10GB")
    outcome = service.call(*READ)
    outcome.is_harmless()
    assert (outcome.code, outcome.out) == (ExitCode.SERVICE, b"")
    assert b"too large" in outcome.err


def _no_number(text: str) -> None:
    raise AssertionError(f"{text} is not JSON")


# The quick suite takes an answer that is no JSON, and one whose texts do harm.
@pytest.mark.parametrize(
    ("kinds", "status"),
    [(("nan", "escapes"), ""), *(pytest.param(HOSTILE, status, marks=pytest.mark.long) for status in ("", "402"))],
    ids=["sample", "all", "all refused"],
)
def test_the_explorer(address: str, tmp_path: Path, kinds: tuple[str, ...], status: str) -> None:
    """Each kind of answer is shown, one after the other, and the program goes on answering keys."""

    def put(*faults: str) -> None:
        httpx.delete(f"{address}/sandbox/faults", trust_env=False, verify=False)
        for fault in faults:
            httpx.post(f"{address}/sandbox/faults", json={"fault": fault}, trust_env=False, verify=False)

    with Terminal(columns=100, lines=30, environment=environment(address, tmp_path)) as terminal:
        choose_account(terminal)
        open_tool(terminal, "ListPaymentMethodConfigurations", "ready")
        for kind in kinds:
            put(f"payments {kind} {status}")
            terminal.press("f5")
            terminal.wait_for(lambda text: ("402 · " if status else "· payments") in text or "the JSON is invalid" in text)
            terminal.press("f4", "+", "down", "down", "G", "g", "f3")
            put()
            terminal.press("f5")
            terminal.wait_for(lambda text: "· payments" in text and "402 · " not in text and "hostile" not in text)
        terminal.press("ctrl+q")
        written = terminal.wait_for_end()
    text = written.decode("utf-8", "replace")
    assert b"HARM\x07" not in written
    assert b"\x1b]52;c;SEFSTQ" not in written
    assert not re.search("[\x80-\x9f\u202a-\u202e\u2066-\u2069\u200b\u2028\ufeff\u00ad\u034f\u115f\u180e\u3164\uffa0]", text)
    assert KEY.lower() not in text.lower()
    assert SECRET not in text
    assert "Traceback" not in text
    for file, kept in kept_in(tmp_path).items():
        assert KEY.lower().encode() not in kept.lower(), file
