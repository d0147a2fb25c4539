"""The server that a team uses: the section ``[team]`` of ``config.toml``, or the environment.

``audit`` is the address, ``person`` and ``machine`` are recorded in entries, and ``password`` names the place of the password,
as in accounts (``keyring:ID``, ``env:NAME``, ``command:WORDS``, ``file:ID``). Without it PostgreSQL's own methods apply:
``PGPASSWORD`` and ``~/.pgpass``. ``CALLBOARD_TEAM_AUDIT`` and ``CALLBOARD_TEAM_PERSON`` override the file.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, unquote

from registry.accounts.account import AccountError, SecretPlace
from registry.accounts.secrets import MASK
from registry.files.folders import config_file
from registry.files.toml_text import section_in
from registry.journal.chain import Who, this_user
from registry.text.safe_text import visible_line

VARIABLE = "CALLBOARD_TEAM_AUDIT"
PERSON = "CALLBOARD_TEAM_PERSON"

_LONGEST_ADDRESS, _LONGEST_NAME = 2_000, 80
_SCHEMES = ("postgresql://", "postgres://")
_OWN = ("audit", "person", "machine", "password")


@dataclass(frozen=True, slots=True)
class TeamSetting:
    """The setting.

    Attributes:
        address: the server's address, which may hold a password; empty if no server is set, or the address is wrong.
        who: the person and the machine in entries.
        password: where the password is; None for PostgreSQL's own methods.
        problem: what is wrong with the setting, safe to show; then nothing is sent.
    """

    address: str = field(default="", repr=False)
    who: Who = field(default_factory=this_user)
    password: SecretPlace | None = None
    problem: str = ""

    @property
    def shown(self) -> str:
        """The address without a password, and without the part after the question mark."""
        user, at, place = self._parts
        place = place.partition("?")[0].partition("#")[0]
        return visible_line(f"{self.address.partition('://')[0]}://{user.partition(':')[0]}{at}{place}")

    def hide(self, text: str) -> str:
        """A text without the address's passwords, in any spelling."""
        for secret in sorted(self._secrets(), key=len, reverse=True):
            text = text.replace(secret, MASK)
        return text

    @property
    def _parts(self) -> tuple[str, str, str]:
        """User and password, the sign after them, and the rest. PostgreSQL accepts a password with a question mark."""
        rest = self.address.partition("://")[2]
        end = max(rest.partition(mark)[0].rfind("@") for mark in "/?")
        return (rest[:end], "@", rest[end + 1 :]) if end >= 0 else ("", "", rest)

    def _secrets(self) -> set[str]:
        user, _, place = self._parts
        query = place.partition("?")[2]
        raw = {user.partition(":")[2]}
        raw |= {pair.partition("=")[2] for pair in query.split("&") if "password" in pair.partition("=")[0].lower()}
        decoded = {value for name, value in parse_qsl(query) if "password" in name.lower()}
        return {one for one in raw | {unquote(one) for one in raw} | decoded if one}


def team_setting(environment: Mapping[str, str] = os.environ) -> TeamSetting:
    """The setting. Reads the settings' file; nothing is raised."""
    file = config_file(environment)
    section, texts = section_in(file, "team"), dict[str, str]()
    for name in _OWN:
        value = section.get(name, "")
        if not isinstance(value, str):
            return TeamSetting(problem=f"{file}: {name} in [team] must be a text in quotes")
        texts[name] = value.strip()
    places = {name: f"{file}: {name} in [team]" for name in _OWN}
    for name, variable in (("audit", VARIABLE), ("person", PERSON)):
        if variable in environment:
            texts[name], places[name] = environment[variable].strip(), variable
    return _checked(texts, places)


def _checked(texts: Mapping[str, str], places: Mapping[str, str]) -> TeamSetting:
    usual = this_user()
    who = Who(texts["person"] or usual.person, texts["machine"] or usual.machine)
    for name, value in zip(("person", "machine"), who, strict=True):
        if len(value) > _LONGEST_NAME or visible_line(value) != value:
            rule = f"must have at most {_LONGEST_NAME} printable characters"
            return TeamSetting(who=usual, problem=f"{places[name]} {rule}")
    address = texts["audit"]
    if not address:
        return TeamSetting(who=who)
    if (
        not address.startswith(_SCHEMES)
        or len(address) > _LONGEST_ADDRESS
        or not address.isascii()
        or not address.isprintable()
    ):
        # The value may be a password in the wrong place, so it is not shown.
        rule = "must be an address such as postgresql://person@host/database"
        return TeamSetting(who=who, problem=f"{places['audit']} {rule}")
    try:
        password = SecretPlace.of(texts["password"]) if texts["password"] else None
    except AccountError as error:
        return TeamSetting(who=who, problem=f"{places['password']}: {error}")
    return TeamSetting(address, who, password)
