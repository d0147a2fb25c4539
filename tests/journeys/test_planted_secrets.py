"""A secret in each kind of store, used in a terminal and on the command line: it is in its store and nowhere else."""

import json
import os
import re
from contextlib import suppress
from pathlib import Path

import keyring
import pytest

from registry.accounts.account import SIGN_IN, Account, SecretPlace
from registry.accounts.book import AccountBook
from registry.accounts.oauth import Tokens
from registry.accounts.secrets import Secret
from registry.accounts.stores import Secrets
from registry.catalog.loader import load
from registry.doors import cli
from tests.journeys.file_ring import FileRing
from tests.telltale import telltale
from tests.terminal import ROOT, Terminal
from tests.test_secrets_everywhere import found_in

MARK = re.compile(rb"PLANTED\w*")
KEY = "sk_test_PLANTED"
TOKENS = Tokens(Secret("PLANTEDaccess"), Secret("PLANTEDrefresh"), 4e9, ("oauth",))


def test_a_secret_is_in_its_store_and_nowhere_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    homes, stores, seen = tmp_path / "homes", tmp_path / "stores", tmp_path / "seen"
    stores.mkdir()
    (stores / "printed").write_text(f"{KEY}command")
    environment = {f"XDG_{name}_HOME": str(homes / name.lower()) for name in ("CONFIG", "STATE", "DATA", "CACHE")}
    environment |= {"PLANTED_RING": str(stores / "ring.json"), "FERNWAY_KEY": f"{KEY}variable", "HOME": str(homes)}
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    # Not by its full name: the package of the tests gives programs that import it a home that nobody has.
    environment |= {"PYTHON_KEYRING_BACKEND": "file_ring.FileRing", "PYTHONPATH": f"{ROOT}:{ROOT}/tests/journeys"}
    before = keyring.get_keyring()
    keyring.set_keyring(FileRing())  # type: ignore[no-untyped-call]
    try:
        with telltale() as (address, sent):
            names = _planted(address, homes, stores, seen)
            with Terminal(environment=environment) as terminal:
                terminal.wait_for("Ask, or paste")
                terminal.press("f6")
                terminal.wait_for("E signed in")
                for name, steps in zip(names, (1, 1, 1, 1, 3), strict=True):
                    terminal.press(*["down"] * steps, "t")
                    terminal.wait_for(f"✓ {name} works")
                terminal.press("escape", "ctrl+q")
                recording = terminal.wait_for_end()

            def crash(*_: object, **__: object) -> int:
                raise ValueError("cannot print it: " + " ".join(sent))

            ring = FileRing()  # type: ignore[no-untyped-call]
            (at,) = (key for key, kept in json.loads((stores / "ring.json").read_text()).items() if "PLANTEDaccess" in kept)
            ring.set_password("callboard", at, TOKENS.as_json().replace("4000000000.0", "1.0"))  # now it has to be refreshed
            for name in names:
                _run("account", "test", name, "--json")
                _run("call", "GetPaymentsAccountDetails", "--account", name)
            _run("account", "sign-out", names[-1])
            _run("account", "list", "--json")
            _run("doctor", "--offline")
            monkeypatch.setattr("registry.doors.cli_call._write_result", crash)
            _run("call", "GetPaymentsAccountDetails", "--account", names[0])
    finally:
        keyring.set_keyring(before)
    planted = {b"PLANTED" + name for name in (b"keyring", b"variable", b"command", b"file", b"access", b"refresh", b"client")}
    assert planted <= set(MARK.findall("\n".join(sent).encode())), "each of them was sent to its service"
    assert "ps axww" in seen.read_text(), "the processes were seen while a secret was fetched"
    assert [*homes.rglob("crash-*.txt")], "the crash was reported"
    said = "".join(capsys.readouterr())
    for where, text in (("terminal", recording), ("processes", seen.read_bytes()), ("output", said.encode())):
        assert MARK.findall(text) == [], where
    holding = found_in(homes, MARK)
    assert list(holding.values()) == [{b"PLANTEDfile"}], holding
    (file,) = holding
    assert (homes / file).stat().st_mode & 0o777 == 0o600


def _planted(address: str, homes: Path, stores: Path, seen: Path) -> list[str]:
    """An account for each kind of store, all at one service; their names."""
    book = AccountBook(homes / "config" / "callboard" / "config.toml", load().toolkits, Secrets(os.environ))
    printing = f"command:sh -c 'ps axww -o args >> {seen}; cat {stores}/printed'"
    places = {
        "A ring": book.new_place("keyring", "payments"),
        "B variable": SecretPlace.of("env:FERNWAY_KEY"),
        "C command": SecretPlace.of(printing),
        "D file": book.new_place("file", "payments"),
    }
    for name, place in places.items():
        kind = "keyring" if place.kind == "keyring" else "file"
        account = Account(name=name, service="payments", secret=place, mode="test", base_url=address)
        book.add(account, (lambda kind=kind: f"{KEY}{kind}") if place.is_ours else None, "test")  # type: ignore[misc]
    at = book.new_place("keyring", "crm")
    signed_in = Account(name="E signed in", service="crm", secret=at, way=SIGN_IN, client_id="c", base_url=address)
    book.add(signed_in, TOKENS.as_json, "test", "PLANTEDclient")
    return [*places, "E signed in"]


def _run(*words: str) -> None:
    """Run a command, however it ends."""
    with suppress(SystemExit):
        cli.main(words)
