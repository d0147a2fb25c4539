"""Profiles of other programs: found when asked, kept by reference, and read again at each use."""

import json
from pathlib import Path

import pytest

from registry.accounts.account import SecretPlace
from registry.accounts.book import AccountBook
from registry.accounts.profiles import profiles, programs
from registry.accounts.stores import Secrets, SecretUnavailable
from registry.catalog.loader import services

BY_NAME = {one.name: one for one in services().values()}
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
    book = AccountBook(home / "callboard.toml", services(), Secrets(folder=home / "secrets"))
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
