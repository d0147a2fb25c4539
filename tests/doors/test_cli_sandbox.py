"""``callboard sandbox``: served on ports, with kept worlds, over https; its faults; and ``reset``."""

import io
import json
import shutil
import signal
import socket
import ssl
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
import stripe

from registry.doors.output import ExitCode
from registry.sandbox import keeping
from registry.sandbox.server import application
from tests.cases import cases_beside
from tests.command_line import Run, runner, started
from tests.sandbox.serving import served

CASES = cases_beside(__file__)

BEARER = {"Authorization": "Bearer sk_test_1"}


@contextmanager
def serving(*options: str | Path) -> Iterator[Any]:
    """A sandbox as it is started: what it says of itself. It is interrupted at the end."""
    with started("sandbox", "--port", "0", "--json", *options) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        line = process.stdout.readline()
        if not line:
            raise AssertionError(process.stderr.read())
        try:
            yield json.loads(line)
        finally:
            process.send_signal(signal.SIGINT)
            assert "Traceback" not in process.stderr.read()
        assert process.wait(20) == 0


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str]) -> Run:
    return runner(capfd, "sandbox")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "w.db"


def python(told: Any, service: str) -> dict[str, Any]:
    """What the printed lines for a service's Python client leave behind."""
    names: dict[str, Any] = {}
    exec(told["clients"][service]["set_up"]["python"], names)
    return names


def test_the_official_clients_of_one_state_on_ports_of_their_own(monkeypatch: pytest.MonkeyPatch, run: Run) -> None:
    monkeypatch.setattr(stripe, "ca_bundle_path", stripe.ca_bundle_path)
    with serving("--ports", "--world", "rough") as told:
        for client in told["clients"].values():
            assert client["api"].rpartition(":")[2] in client["set_up"]["node"]
        payments = python(told, "payments")["client"]
        found = {one.id: one.name or "" for one in payments.v1.customers.list({"limit": 30}).auto_paging_iter()}
        assert len(found) > 60
        assert any("[/x]" in name for name in found.values())
        incidents = python(told, "incidents")
        client, incident = incidents["client"], incidents["incidents"][0]
        assert client.rget(incident["self"]) == client.rget(f"/incidents/{incident['id']}")
        assert client.rget(f"/incidents/{incident['id']}/log_entries")
        client.close()
        crm = python(told, "crm")
        more = crm["client"].settings.users.users_api.get_page(after=crm["users"].paging.next.after)
        assert len({one.id for one in (*crm["users"].results, *more.results)}) == 148

        assert payments.v1.customers.delete("cus_4R5QLgZDZXPlou").deleted
        joint = told["environment"]["PAYMENTS_BASE_URL"] + "/v1/customers/cus_4R5QLgZDZXPlou"
        assert httpx.get(joint, headers=BEARER).json()["deleted"] is True
        own = told["clients"]["payments"]["api"]
        assert httpx.get(own + "/sandbox/clock").status_code == 404, "a port of a service leads to nothing else"
        host = {"Host": told["url"].removeprefix("http://")}
        assert httpx.get(own + "/v1/customers", headers=BEARER | host).status_code == 421, "and only by its own name"
        taken = run("--port", told["url"].rpartition(":")[2])
        assert (taken.code, "cannot be used" in taken.err) == (ExitCode.USAGE, True)


@pytest.mark.skipif(shutil.which("openssl") is None, reason="the certificate is made by openssl")
def test_over_https_clients_trust_the_certificate_that_is_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stripe, "ca_bundle_path", stripe.ca_bundle_path)  # the lines set it for all of the process
    with serving("--ports", "--tls") as told:
        assert all(client["api"].startswith("https://") for client in told["clients"].values())
        assert python(told, "payments")["customers"].data
        with pytest.raises(httpx.ConnectError, match="certificate"):
            httpx.get(told["url"] + "/sandbox/clock")
        assert set(told["trust"]) == {"SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "NODE_EXTRA_CA_CERTS"}
        trusted = ssl.create_default_context(cafile=told["trust"]["SSL_CERT_FILE"])
        assert httpx.get(told["url"] + "/sandbox/clock", verify=trusted).status_code == 200
        folder = Path(told["certificate"]).parent
        assert [path.name for path in folder.iterdir()] == ["certificate.pem"], "the key is gone"
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert not folder.exists()


def test_a_kept_world_goes_on(file: Path, run: Run) -> None:
    kept = ("--data", str(file))
    with serving(*kept) as told:
        users = told["environment"]["CRM_BASE_URL"] + "/settings/v3/users/"
        new = httpx.post(users, headers=BEARER, json={"email": "new@fernway.example", "sendWelcomeEmail": False}).json()
        for words in (("--port", "0", *kept), ("reset", "--yes", *kept)):
            busy = run(*words)
            assert (busy.code, f"another sandbox uses {file}" in busy.err) == (ExitCode.USAGE, True)
    with serving(*kept) as told:
        again = httpx.get(told["environment"]["CRM_BASE_URL"] + f"/settings/v3/users/{new['id']}", headers=BEARER)
        assert again.json()["email"] == "new@fernway.example"
    assert [one.name for one in file.parent.iterdir()] == [file.name]
    outcome = run("--port", "0", *kept, "--seed", "4")
    assert (outcome.code, f"{file} was created with --seed 1, not 4" in outcome.err) == (ExitCode.USAGE, True)


@pytest.mark.parametrize("how", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.long)])
def test_stopping_the_building_leaves_nothing(how: signal.Signals, file: Path) -> None:
    with started("sandbox", "--port", "0", "--customers", "200000", "--data", file) as process:
        assert process.stderr is not None
        while not file.exists() or not file.stat().st_size:
            assert process.poll() is None
        process.send_signal(how)
        complaints = process.stderr.read()
        # An interrupt inside of an ``exec`` of text, as when a lazily imported module makes a dataclass, is handled and told,
        # and Python ends by the signal all the same. Shells give 130 for both.
        assert process.wait(20) in (128 + how, -how)
    assert complaints.endswith(f"callboard: {'interrupted' if how == signal.SIGINT else 'ended by SIGTERM'}\n")
    assert list(file.parent.iterdir()) == []


@pytest.mark.parametrize(("words", "told"), CASES["what the sandbox refuses"])
def test_what_cannot_be(words: list[str], told: str, run: Run) -> None:
    outcome = run("--port", "0", *words)
    assert (outcome.code, outcome.out, told in outcome.err) == (ExitCode.USAGE, "", True), outcome.err


def test_reset_deletes_a_kept_world_after_a_yes(file: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    class Typed(io.StringIO):
        def isatty(self) -> bool:
            return True

    def keep() -> None:
        keeping.in_file(file, 1, None, 1, lambda part: None).database.close()

    for words in (("--data", str(file), "reset", "--yes"), ("reset", "--yes", "--data", str(file))):
        keep()
        for said in (f"Deleted {file}", f"No such file: {file}"):
            assert run(*words).out.startswith(said)
            assert not file.exists()
    keep()
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    refused = run("reset", "--data", str(file))
    assert (refused.code, "add --yes" in refused.err, file.exists()) == (ExitCode.USAGE, True, True)
    for typed in ("\n", "", "Yes\n"):
        monkeypatch.setattr(sys, "stdin", Typed(typed))
        asked = run("reset", "--data", str(file))
        assert f"Delete {file} and all changes in it? [y/N]" in asked.err
        assert file.exists() == (typed != "Yes\n")
    file.write_text("my diary")
    other = run("reset", "--data", str(file), "--yes")
    assert (other.code, "is not a sandbox file and was left unchanged" in other.err) == (ExitCode.USAGE, True)
    assert file.read_text() == "my diary"


def test_faults_of_a_running_sandbox(run: Run) -> None:
    with served(application(limits=False)) as address:
        port = str(urlsplit(address).port)
        assert "no active faults" in run("fault", "--port", port).err
        outcome = run("fault", "incidents:/users*", "500", "x3", "--port", port)
        assert outcome == (0, "  1  incidents:/users* 500 x3  (0 applied, 3 left)\n", "")
        assert httpx.get(f"{address}/incidents/users").status_code == 500
        outcome = run("--port", port, "fault", "crm latency 1ms-2ms")
        assert outcome.out.splitlines() == [
            "  1  incidents:/users* 500 x3  (1 applied, 2 left)",
            "  2  crm latency 1ms-2ms  (0 applied, until removed)",
        ]
        assert run("fault", "crm 404", "--clear", "--port", port).code == ExitCode.USAGE
        assert "crm latency" in run("fault", "--port", port).out, "a wrong fault changes nothing"
        assert run("fault", "--port", port, "--clear", "payments", "503").out.startswith("  3  payments 503")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        free = str(taken.getsockname()[1])
    nobody = run("fault", "--port", free)
    assert (nobody.code, f"cannot reach a sandbox on 127.0.0.1:{free}" in nobody.err) == (ExitCode.CONNECTION, True)
    assert "payments:/v1/customers* drop after 100 bytes" in run("fault", "--help").out
