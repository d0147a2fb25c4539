"""Credentials in the settings of other programs, such as a service's own command line: read where they are, never copied.

A reference names the file and a JMESPath expression: ``~/.config/tool/config.toml#"default".key``. Which programs have such
files is in ``registry/toolkits/profiles.json``: toolkits from elsewhere must not name files to read credentials from. Nothing
is read before the user asks for it.
"""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from registry.accounts.account import Account, SecretPlace
from registry.accounts.connection import mode_of
from registry.catalog.folders import BUILT_IN
from registry.catalog.service import Service
from registry.files.folders import open_plain
from registry.files.toml_text import parsed

_MOST_BYTES = 1_000_000
_NAME = re.compile(r"[\w.@ -]{1,30}")


class Program(msgspec.Struct, frozen=True):
    """A program that keeps profiles with credentials in a file.

    Attributes:
        service: the name of the service that they are for; `way` is how they authenticate, empty for the service's first way.
        program: its name in a sentence.
        file: its file with TOML, YAML or JSON.
        names: the JMESPath expression for the names of its profiles.
        secret: the expression for the credential of the profile ``{name}``; profiles that have none are left out.
    """

    service: str
    program: str
    file: str
    names: str
    secret: str
    way: str = ""

    @property
    def place(self) -> str:
        """The file: programs that keep it in ``~/.config`` follow ``XDG_CONFIG_HOME``."""
        own = os.environ.get("XDG_CONFIG_HOME", "")
        return self.file.replace("~/.config", own, 1) if os.path.isabs(own) else self.file


def programs() -> Sequence[Program]:
    """The programs whose file is there. Reads none of them."""
    known = msgspec.json.decode((BUILT_IN / "profiles.json").read_bytes(), type=tuple[Program, ...])
    return [one for one in known if Path(one.place).expanduser().is_file()]


def profiles(services: Mapping[str, Service]) -> Iterator[tuple[Program, Account]]:
    """Every profile with a credential, as the account that it would be; by name of the service. Blocks; never raises."""
    for one in programs():
        content, service = _content(one.place), services[one.service]
        names = _searched(content, one.names)
        for name in filter(_NAME.fullmatch, map(str, names if isinstance(names, list) else ())):
            expression = one.secret.replace("{name}", name)
            secret = _searched(content, expression)
            if isinstance(secret, str) and secret:
                mode = mode_of(service, service.hosts["api"].usual, secret)
                place = SecretPlace("value", f"{one.place}#{expression}")
                yield one, Account(name=f"{one.service} {name}", service=one.service, secret=place, way=one.way, mode=mode)


def value_at(reference: str) -> str:
    """The text that a reference leads to; empty if there is none. Blocks."""
    file, _, expression = reference.partition("#")
    found = _searched(_content(file), expression)
    return found if isinstance(found, str) else ""


def _content(file: str) -> Any:
    """What a file says; None if it cannot be read."""
    import yaml  # slow to import, and few accounts need it

    try:
        with open_plain(Path(file).expanduser()) as opened:
            text = opened.read(_MOST_BYTES).decode("utf-8")
        return parsed(text) if file.endswith(".toml") else yaml.safe_load(text)
    except (OSError, ValueError, RecursionError, yaml.YAMLError):
        return None


def _searched(content: Any, expression: str) -> Any:
    import jmespath  # as above

    try:
        return jmespath.search(expression, content)
    except jmespath.exceptions.JMESPathError:
        return None
