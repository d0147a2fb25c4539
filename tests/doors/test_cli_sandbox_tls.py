"""``callboard sandbox --tls``: every port speaks https, with a certificate that clients can be told to trust."""

from __future__ import annotations

import json
import shutil
import signal
import ssl
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
import stripe

from registry.doors.cli import main
from registry.sandbox import certificate

ROOT = Path(__file__).parent.parent.parent
needs_openssl = pytest.mark.skipif(shutil.which("openssl") is None, reason="the certificate is made by openssl")


@pytest.fixture(scope="module")
def told() -> Iterator[Any]:
    """What a sandbox that speaks TLS says of itself."""
    command = [sys.executable, "-m", "tui", "sandbox", "--port", "0", "--ports", "--tls", "--json"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        said = json.loads(process.stdout.readline())
        yield said
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 0
    assert not Path(said["certificate"]).parent.exists()


@needs_openssl
def test_the_lines_for_python_clients_trust_the_certificate(told: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stripe, "ca_bundle_path", stripe.ca_bundle_path)  # the lines set it for all of the process
    left: dict[str, dict[str, Any]] = {}
    for service, client in told["clients"].items():
        assert client["api"].startswith("https://")
        exec(client["set_up"]["python"], left.setdefault(service, {}))
    assert left["payments"]["customers"].data
    assert left["incidents"]["incidents"][0]["self"].startswith(told["clients"]["incidents"]["api"] + "/incidents/")
    assert left["crm"]["users"].results
    left["incidents"]["client"].close()


@needs_openssl
def test_who_does_not_trust_the_certificate_is_not_connected(told: Any) -> None:
    with pytest.raises(httpx2.ConnectError, match="certificate"):
        httpx2.get(told["url"] + "/sandbox/clock")
    trusted = ssl.create_default_context(cafile=told["trust"]["SSL_CERT_FILE"])
    assert httpx2.get(told["url"] + "/sandbox/clock", verify=trusted).status_code == 200
    assert set(told["trust"]) == {"SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "NODE_EXTRA_CA_CERTS"}


@needs_openssl
def test_the_key_is_nobody_elses(told: Any) -> None:
    folder = Path(told["certificate"]).parent
    assert [path.name for path in folder.iterdir()] == ["certificate.pem"]
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_without_openssl_nothing_is_served(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("shutil.which", lambda _: None)
    with pytest.raises(SystemExit) as ended:
        main(["sandbox", "--port", "0", "--tls"])
    assert ended.value.code == 2
    said = capsys.readouterr()
    assert "install it, or serve without --tls" in said.err
    assert not said.out


def test_an_openssl_that_fails_is_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    false = shutil.which("false") or "false"
    monkeypatch.setattr("shutil.which", lambda _: false)
    with pytest.raises(certificate.NoCertificate, match="serve without --tls"), certificate.certificate():
        pass
