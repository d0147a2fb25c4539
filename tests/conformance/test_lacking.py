"""What ``make conformance`` says where something that it needs is not there."""

from __future__ import annotations

import pytest

from tests.conformance import __main__ as conformance


def test_npm_is_named(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("shutil.which", lambda _: None)
    assert conformance.main() == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "npm is not there; install Node.js 22.19 or newer" in err


def test_a_registry_that_is_not_reached_is_named(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("shutil.which", lambda name: "/bin/false")
    assert conformance.main() == 2
    assert "npm could not fetch @modelcontextprotocol/conformance@" in capsys.readouterr().err
