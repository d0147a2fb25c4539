"""Looking before a person's access is changed: what will differ, by name, and whether it fits the account."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from registry.catalog.model import Tool
from registry.deleting.checks import Check
from registry.deleting.companions import Companion
from registry.deleting.facts import called, names_of
from registry.deleting.reads import Answer, Items, Reads
from registry.display.safe_text import shortened, visible_line

_LONGEST = 80
_SAID = {
    "email": "e-mail",
    "firstName": "first name",
    "lastName": "last name",
    "roleId": "role",
    "primaryTeamId": "primary team",
    "secondaryTeamIds": "additional teams",
    "sendWelcomeEmail": "welcome e-mail",
}


class Difference(NamedTuple):
    """Something that will change: its name, what it is and what it will be, fit for a line; empty where there is nothing."""

    name: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class WriteLook:
    """What a change of a person would do.

    Attributes:
        user: the person as they are; empty for a new one.
        body: the same as it came.
        gone: there is no such person.
        checks: whether what is given fits the account.
        companions: what goes with it.
        differences: what will change.
        problems: what could not be learned.
    """

    user: Mapping[str, Any] = field(default_factory=dict)
    body: bytes = b""
    gone: bool = False
    checks: tuple[Check, ...] = ()
    companions: tuple[Companion, ...] = ()
    differences: tuple[Difference, ...] = ()
    problems: tuple[str, ...] = ()


async def look_at_write(reads: Reads, tool: Tool, arguments: Mapping[str, object]) -> WriteLook:
    """Look at a change of a person, or at making one.

    Args:
        reads: the reads, on the connection that the call would go through.
        tool: what changes.
        arguments: its arguments, checked.
    """
    given = sent_fields(tool, arguments)
    present, roles, teams = await asyncio.gather(
        person(reads, tool, arguments), reads.items("GetAccountRoles", {}), reads.items("ViewAccountTeams", {})
    )
    new = tool.subject is None
    if present.gone and not new:
        return WriteLook(gone=True)
    user = {} if new else present.members
    checks = [_address(given, present)] if new else []
    checks += _known("role", [given.get("roleId")], roles)
    checks += _known("team", [given.get("primaryTeamId"), *_texts(given.get("secondaryTeamIds"))], teams)
    problems = [f"The person could not be read: {present.problem}"] if present.problem and not new else []
    differences = [] if problems else _differences(given, user, roles, teams)
    paid = any(str(one.get("id")) == given.get("roleId") and one.get("requiresBillingWrite") is True for one in roles.items)
    companions = (
        (Companion("a paid seat, which the role takes up", 1),) if paid and user.get("roleId") != given["roleId"] else ()
    )
    body = b"" if new else present.body
    return WriteLook(user, body, False, tuple(checks), companions, tuple(differences), tuple(problems))


async def person(reads: Reads, tool: Tool, arguments: Mapping[str, object]) -> Answer:
    """The person whom a change is about; for a new one, whoever has the address already."""
    if tool.subject is None:
        by_address = {"user_identifier": str(sent_fields(tool, arguments).get("email")), "user_identifier_property": "EMAIL"}
        return await reads.named("RetrieveCrmUserById", by_address)
    retrieval = await reads.retrieval(tool, arguments)
    return await reads.read(*retrieval) if retrieval is not None else Answer(problem="no tool reads a person")


def sent_fields(tool: Tool, arguments: Mapping[str, object]) -> dict[str, object]:
    """What a call says about the person, by the service's names."""
    fields = (one for one in tool.parameters if one.place == "body" and one.wire_name and one.name in arguments)
    return {str(one.wire_name): arguments[one.name] for one in fields}


def took_effect(given: Mapping[str, object], user: Mapping[str, Any]) -> bool:
    """Whether a person is as a call said."""
    return all(_same(name, value, user.get(name)) for name, value in given.items() if name != "sendWelcomeEmail")


def _same(name: str, given: object, present: object) -> bool:
    if name == "secondaryTeamIds":
        return set(_texts(given)) == set(_texts(present))
    if name == "email":
        return str(given).casefold() == str(present).casefold()
    return (given or None) == (present or None)


def _differences(given: Mapping[str, object], user: Mapping[str, Any], roles: Items, teams: Items) -> list[Difference]:
    def words(name: str, value: object) -> str:
        items = {"roleId": roles, "primaryTeamId": teams, "secondaryTeamIds": teams}.get(name)
        if items is not None:
            return names_of(_texts(value) or [value], items.items)
        return ("yes" if value else "no") if isinstance(value, bool) else str(value or "")

    def line(name: str, value: object) -> str:
        return shortened(visible_line(words(name, value)), _LONGEST)

    changed = [name for name, value in given.items() if not user or not _same(name, value, user.get(name))]
    order = [*(name for name in _SAID if name in changed), *(name for name in changed if name not in _SAID)]
    return [Difference(_SAID.get(name, name), line(name, user.get(name)), line(name, given[name])) for name in order]


def _address(given: Mapping[str, object], present: Answer) -> Check:
    address = visible_line(str(given.get("email", "")))
    if present.gone:
        return Check(True, f"Nobody in the account has the address {address}.")
    if present.problem or not present.members:
        return Check(None, f"Whether somebody has the address {address} already could not be learned.")
    whose = next(iter(called(present.members)), "somebody")
    return Check(False, f"{address} belongs to {whose} already (id {visible_line(str(present.members.get('id')))}).")


def _known(what: str, ids: list[Any], items: Items) -> list[Check]:
    """Whether the account has what the ids name."""
    known = {str(one.get("id")): visible_line(str(one.get("name"))) for one in items.items}
    checks = []
    for id_ in dict.fromkeys(str(one) for one in ids if one):
        if id_ in known:
            checks.append(Check(True, f"There is a {what} {known[id_]}."))
        elif items.problem or items.more:
            checks.append(Check(None, f"Whether there is a {what} {visible_line(id_)} could not be learned."))
        else:
            there = ", ".join(f"{name} {visible_line(known_id)}" for known_id, name in known.items())
            checks.append(Check(False, f"There is no {what} {visible_line(id_)}; there are {shortened(there, 400)}."))
    return checks


def _texts(value: object) -> list[str]:
    return [str(one) for one in value] if isinstance(value, list | tuple) else []
