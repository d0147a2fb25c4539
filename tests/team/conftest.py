"""A schema of its own for each test, in the PostgreSQL of all tests."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import psycopg
import pytest

from registry.journal.audit import Audit
from registry.journal.chain import Who
from registry.team.server import Server
from registry.team.setting import TeamSetting
from tests.journal.test_chain import fill

NUMBERS = itertools.count(1)


@pytest.fixture
def address(postgres: str) -> Iterator[str]:
    """The address of a schema with the team's tables, and of two people's roles in it."""
    schema = f"t{next(NUMBERS)}"
    found = of_schema(postgres, schema)
    with psycopg.connect(postgres, autocommit=True) as database:
        database.execute(f"CREATE SCHEMA {schema}".encode())
        for role in ("anna", "ben"):
            database.execute(f"DO $$ BEGIN CREATE ROLE {role} LOGIN; EXCEPTION WHEN OTHERS THEN NULL; END $$".encode())
            database.execute(f"GRANT USAGE ON SCHEMA {schema} TO {role}".encode())
    for role in ("anna", "ben"):
        asyncio.run(server(found).create(role))
    yield found
    with psycopg.connect(postgres, autocommit=True) as database:
        database.execute("SET client_min_messages = warning")
        database.execute(f"DROP SCHEMA {schema} CASCADE".encode())


def of_schema(address: str, schema: str) -> str:
    """An address with a search path."""
    return f"{address}&options={quote(f'-c search_path={schema}')}"


def as_role(address: str, role: str) -> str:
    """The same address for another role."""
    return address.replace("postgresql://postgres:@", f"postgresql://{role}@")


def server(address: str, person: str = "anna", patience: float = 5) -> Server:
    """A server that somebody uses."""
    return Server(TeamSetting(address, Who(person, f"{person}s-machine")), str, patience)


class Home:
    """A person with a log of their own."""

    def __init__(self, folder: Path, person: str, address: str) -> None:
        self.server = server(as_role(address, person), person)
        who = self.server.setting.who
        self.audit = Audit(folder / person / "changes.db", who=lambda: who, sends=lambda: True)
        fill(self.audit)

    @property
    def file(self) -> Path:
        """The log's file."""
        return self.audit._store.file


@pytest.fixture
def people(tmp_path: Path, address: str) -> tuple[Home, Home]:
    """Two people with four changes each, not sent yet."""
    return Home(tmp_path, "anna", address), Home(tmp_path, "ben", address)
