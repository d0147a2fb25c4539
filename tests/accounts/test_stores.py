"""Where secrets are kept: keyring, files, variables, commands, profiles of other programs; each way in which they refuse."""

import json
import os
import stat
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import keyring
import pytest
from keyring.backend import KeyringBackend
from keyring.backends import fail
from keyring.errors import KeyringLocked

from registry.accounts.account import SecretPlace
from registry.accounts.book import AccountBook
from registry.accounts.stores import FileStore, KeyringStore, Secrets, SecretUnavailable, profiles, programs
from registry.catalog.loader import load
from registry.files.folders import how_to_install
from tests.cases import cases_beside

CASES = cases_beside(__file__)

SECRET = "rk_test_MARKED"


class Ring(KeyringBackend):
    """A keyring in memory, which may be locked, lose what it gets, or never answer."""

    priority = 1

    def __init__(self, how: str = "") -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.kept: dict[tuple[str, str], str] = {}
        self.how = how
        self.over = threading.Event()

    def get_password(self, service: str, username: str) -> str | None:
        if self.how == "waits":
            self.over.wait()
        return self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        if self.how == "waits":
            self.over.wait()
        if self.how == "locked":
            raise KeyringLocked(password)
        if self.how != "loses":
            self.kept[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        del self.kept[service, username]


@pytest.fixture
def ring() -> Iterator[Ring]:
    """The keyring of this test."""
    before, mine = keyring.get_keyring(), Ring()
    keyring.set_keyring(mine)
    yield mine
    mine.over.set()
    keyring.set_keyring(before)


def test_the_keyring_keeps_and_deletes(ring: Ring) -> None:
    store = KeyringStore()
    store.probe()
    assert ring.kept == {}
    assert store.read("payments-1") is None
    store.write("payments-1", SECRET)
    assert ring.kept == {("callboard", "payments-1"): SECRET}
    assert Secrets().read(SecretPlace.of("keyring:payments-1")) == SECRET
    store.delete("payments-1")
    store.delete("payments-1")
    assert ring.kept == {}
    with pytest.raises(SecretUnavailable, match="no secret for this account in the system keyring"):
        Secrets().read(SecretPlace.of("keyring:payments-1"))


@pytest.mark.parametrize(
    ("how", "words", "way_out"),
    [
        ("waits", "did not respond within 0.05 s. It may be waiting for its password", "Unlock it"),
        ("locked", "refused (KeyringLocked)", "env:NAME"),
        ("loses", "does not keep what it is given", "--insecure-storage"),
    ],
)
def test_a_keyring_that_cannot_be_used_says_why(ring: Ring, how: str, words: str, way_out: str) -> None:
    ring.how = how
    with pytest.raises(SecretUnavailable) as error:
        KeyringStore(patience=0.05).probe()
    assert words in error.value.cause
    assert way_out in error.value.way_out


@pytest.mark.parametrize(("installed", "words"), [(True, "No system keyring was found"), (False, "not installed")])
def test_without_any_keyring_the_way_out_is_told(
    ring: Ring, monkeypatch: pytest.MonkeyPatch, installed: bool, words: str
) -> None:
    if installed:
        keyring.set_keyring(fail.Keyring())  # type: ignore[no-untyped-call]
    else:
        monkeypatch.setitem(sys.modules, "keyring", None)
    with pytest.raises(SecretUnavailable, match=words) as error:
        KeyringStore().write("x", SECRET)
    assert ("--insecure-storage" if installed else how_to_install("keyring")) in error.value.way_out


def test_a_file_is_its_owners_alone(tmp_path: Path) -> None:
    store = FileStore(tmp_path / "callboard" / "secrets")
    store.probe()
    store.write("crm-1", SECRET)
    file = tmp_path / "callboard" / "secrets" / "crm-1.secret"
    assert (stat.S_IMODE(file.stat().st_mode), stat.S_IMODE(file.parent.stat().st_mode)) == (0o600, 0o700)
    assert store.read("crm-1") == SECRET
    file.chmod(0o640)
    with pytest.raises(SecretUnavailable, match=r"open to other users \(mode 0640\)") as error:
        store.read("crm-1")
    assert "Replace the credential" in error.value.way_out
    assert SECRET not in str(error.value)
    store.delete("crm-1")
    assert list(file.parent.iterdir()) == []


def test_a_variable_is_read_and_may_be_missing() -> None:
    secrets = Secrets({"FERNWAY_KEY": f" {SECRET} "})
    assert secrets.read(SecretPlace.of("env:FERNWAY_KEY")) == SECRET
    with pytest.raises(SecretUnavailable, match="OTHER_KEY is not set"):
        secrets.read(SecretPlace.of("env:OTHER_KEY"))


def command(words: str, patience: float = 20.0) -> str:
    return Secrets({}, patience=patience).read(SecretPlace.of(f"command:{words}"))


def test_a_command_is_words_and_no_line_of_a_shell(tmp_path: Path) -> None:
    assert command(f"printf %s\\\\n {SECRET}") == SECRET
    assert command("echo '$HOME;' $(id) `id` > x | cat") == "$HOME; $(id) `id` > x | cat"
    assert command(f"{sys.executable} -c 'import sys; print(repr(sys.stdin.read()))'") == "''"


@pytest.mark.parametrize(("words", "cause"), CASES["commands that give no secret"])
def test_a_command_that_gives_no_secret_says_why(words: str, cause: str, capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SecretUnavailable) as error:
        command(words)
    assert cause in error.value.cause
    assert "MARKED" not in str(error.value) + "".join(capfd.readouterr())


def test_a_command_that_is_given_up_ends_with_all_that_it_started(tmp_path: Path) -> None:
    started = tmp_path / "pid"
    script = tmp_path / "slow"
    script.write_text(f"#!/bin/sh\nsleep 300 &\necho $! >{started}.new; mv {started}.new {started}\nwait\n")
    script.chmod(0o700)
    with pytest.raises(SecretUnavailable, match="did not print the secret within"):
        command(str(script), patience=1.5)
    child = int(started.read_text())
    end = time.monotonic() + 20
    while _runs(child):
        assert time.monotonic() < end, "what the command started goes on"
        time.sleep(0.01)


def _runs(process: int) -> bool:
    try:
        os.kill(process, 0)
        return Path(f"/proc/{process}/stat").read_text().split(")")[1].split()[0] != "Z"
    except (OSError, IndexError):
        return False


BY_NAME = {one.name: one for one in load().toolkits.values()}
STRIPE = """
color = "on"
[default]
display_name = "Fernway"
test_mode_api_key = "sk_test_MARKED1"
live_mode_api_key = "rk_live_****************1234"
[second]
device_name = "x"
"""
PD = {
    "defaultSubdomain": "fernway",
    "subdomains": [
        {"alias": "fernway", "subdomain": "fernway", "legacyToken": "MARKED2"},
        {"alias": "eu", "subdomain": "fernway-eu", "accessToken": "pdus+_MARKED3"},
        {"alias": "odd' || secret", "legacyToken": "MARKED4"},
    ],
}
HS = """
defaultPortal: crm
portals:
  - name: crm
    portalId: 1
    auth: {tokenInfo: {accessToken: MARKED5, expiresAt: 2026-11-28T12:00:00.000Z}}
"""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home in which the three programs were signed in to."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    for name, text in (("stripe/config.toml", STRIPE), ("pagerduty-cli/config.json", json.dumps(PD))):
        file = tmp_path / ".config" / name
        file.parent.mkdir(parents=True)
        file.write_text(text)
    (tmp_path / ".hscli").mkdir()
    (tmp_path / ".hscli" / "config.yml").write_text(HS)
    return tmp_path


def test_profiles_are_offered_by_reference(home: Path) -> None:
    found = {account.name: account for _, account in profiles(BY_NAME)}
    assert {name: (one.mode, one.way) for name, one in found.items()} == {
        "payments default": ("test", ""),
        "incidents fernway": ("live", "a user's API token"),
        "incidents eu": ("live", "an access token"),
        "crm crm": ("live", ""),
    }
    book = AccountBook(home / "callboard.toml", load().toolkits, Secrets(folder=home / "secrets"))
    for one in found.values():
        book.add(one)
    assert "MARKED" not in book.file.read_text()
    read = book.read()
    assert not read.problems
    secrets = [book.secrets.read(one.secret) for one in read.found.values()]
    assert secrets == ["sk_test_MARKED1", "MARKED2", "pdus+_MARKED3", "MARKED5"]
    (home / ".hscli" / "config.yml").write_text(HS.replace("MARKED5", "MARKED6"))
    assert book.secrets.read(found["crm crm"].secret) == "MARKED6", "it is read at each use"


def test_a_file_that_is_gone_or_odd_is_said_at_use(home: Path) -> None:
    place = SecretPlace.of('value:~/.config/stripe/config.toml#"default".test_mode_api_key')
    assert Secrets().read(place) == "sk_test_MARKED1"
    file = home / ".config" / "stripe" / "config.toml"
    for text in ("not = = toml", "", "default = 1"):
        file.write_text(text)
        with pytest.raises(SecretUnavailable, match=r"no credential in the file ~/.config/stripe/config.toml"):
            Secrets().read(place)
    file.unlink()
    assert "the stripe CLI" not in {one.program for one in programs()}
    assert "payments" not in {account.service for _, account in profiles(BY_NAME)}
