"""Checks before a user's access is changed: the differences by name, and whether the ids exist in the account.

``deleting.json`` names these functions.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from registry.catalog.model import Tool
from registry.changes.check_result import Check, CheckResult, Companion, Difference, Fact, called, fact
from registry.changes.reads import Items, Object, ReadResult, Reads
from registry.changes.writing import existing, sent_fields
from registry.text.safe_text import shortened, visible_line

_LONGEST = 80
_SAID = {
    "email": "email",
    "firstName": "first name",
    "lastName": "last name",
    "roleId": "role",
    "primaryTeamId": "primary team",
    "secondaryTeamIds": "additional teams",
    "sendWelcomeEmail": "welcome email",
}


async def role_and_teams(user: Object, reads: Reads) -> list[Fact]:
    """The names of a user's role and teams."""
    roles, teams = await reads.items("GetAccountRoles", {}), await reads.items("ViewAccountTeams", {})
    role_ids = user.get("roleIds") if isinstance(user.get("roleIds"), list) else [user.get("roleId")]
    secondary = user.get("secondaryTeamIds")
    team_ids = [user.get("primaryTeamId"), *(secondary if isinstance(secondary, list) else [])]
    found = (("role", _names_of(role_ids, roles.items)), ("teams", _names_of(team_ids, teams.items)))
    return [fact(name, words) for name, words in found if words]


async def check_user(reads: Reads, tool: Tool, arguments: Mapping[str, object]) -> CheckResult:
    """Check a change to a user, or the creation of one.

    Args:
        reads: makes reads, on the account of the call.
        tool: the tool that would make the change.
        arguments: its arguments, checked.
    """
    given = sent_fields(tool, arguments)
    present, roles, teams = await asyncio.gather(
        existing(reads, tool, arguments), reads.items("GetAccountRoles", {}), reads.items("ViewAccountTeams", {})
    )
    new = tool.subject is None
    if present.gone and not new:
        return CheckResult(gone=True)
    user = {} if new else present.members
    checks = [_address(given, present)] if new else []
    checks += _known("role", [given.get("roleId")], roles)
    checks += _known("team", [given.get("primaryTeamId"), *_texts(given.get("secondaryTeamIds"))], teams)
    problems = [f"Could not load the person: {present.problem}"] if present.problem and not new else []
    differences = [] if problems else _differences(given, user, roles, teams)
    paid = any(str(one.get("id")) == given.get("roleId") and one.get("requiresBillingWrite") is True for one in roles.items)
    companions: tuple[Companion, ...] = (
        (Companion("a paid seat, used by this role", 1),) if paid and user.get("roleId") != given["roleId"] else ()
    )
    before, after = _texts(user.get("secondaryTeamIds")), _teams_left(given, user)
    if before and not after and not problems:
        companions += (Companion(f"no additional team is left: {_named(before, teams)} removed", len(before)),)
    return CheckResult(
        body=b"" if new else present.body,
        checks=tuple(checks),
        companions=companions,
        differences=tuple(differences),
        problems=tuple(problems),
    )


def same(name: str, given: object, present: object) -> bool:
    """Whether a user's field already has the given value: teams in any order, addresses in any case."""
    if name == "secondaryTeamIds":
        return set(_texts(given)) == set(_texts(present))
    if name == "email":
        return str(given).casefold() == str(present).casefold()
    return (given or None) == (present or None)


def _teams_left(given: Mapping[str, object], user: Mapping[str, Any]) -> list[str] | None:
    """The user's additional teams after the change, without the primary one; None if they are not known."""
    teams = given.get("secondaryTeamIds", user.get("secondaryTeamIds"))
    primary = given.get("primaryTeamId", user.get("primaryTeamId"))
    return [one for one in _texts(teams) if one != str(primary)] if teams is not None else None


def _named(ids: list[str], teams: Items) -> str:
    return shortened(visible_line(_names_of(ids, teams.items)), _LONGEST)


def _differences(given: Mapping[str, object], user: Mapping[str, Any], roles: Items, teams: Items) -> list[Difference]:
    def words(name: str, value: object) -> str:
        items = {"roleId": roles, "primaryTeamId": teams, "secondaryTeamIds": teams}.get(name)
        if items is not None:
            return _names_of(_texts(value) or [value], items.items)
        return ("yes" if value else "no") if isinstance(value, bool) else str(value or "")

    def line(name: str, value: object) -> str:
        return shortened(visible_line(words(name, value)), _LONGEST)

    left = _teams_left(given, user)
    if user and left is not None and not same("secondaryTeamIds", left, user.get("secondaryTeamIds")):
        given = {**given, "secondaryTeamIds": left}
    changed = [name for name, value in given.items() if not user or not same(name, value, user.get(name))]
    order = [*(name for name in _SAID if name in changed), *(name for name in changed if name not in _SAID)]
    return [Difference(_SAID.get(name, name), line(name, user.get(name)), line(name, given[name])) for name in order]


def _address(given: Mapping[str, object], present: ReadResult) -> Check:
    address = visible_line(str(given.get("email", "")))
    if present.gone:
        return Check(True, f"No user has the email address {address} yet.")
    if present.problem or not present.members:
        return Check(None, f"Could not check whether {address} is already in use.")
    whose = next(iter(called(present.members)), "somebody")
    return Check(False, f"{address} is already used by {whose} (id {visible_line(str(present.members.get('id')))}).")


def _known(what: str, ids: list[Any], items: Items) -> list[Check]:
    """Checks whether the ids exist in the account."""
    known = {str(one.get("id")): visible_line(str(one.get("name"))) for one in items.items}
    checks = []
    for id_ in dict.fromkeys(str(one) for one in ids if one):
        if id_ in known:
            checks.append(Check(True, f"Assigns {what} {known[id_]}."))
        elif items.problem or items.more:
            checks.append(Check(None, f"Could not check whether {what} {visible_line(id_)} exists."))
        else:
            there = ", ".join(f"{name} {visible_line(known_id)}" for known_id, name in known.items())
            checks.append(Check(False, f"No {what} {visible_line(id_)} in this account; available: {shortened(there, 400)}."))
    return checks


def _texts(value: object) -> list[str]:
    return [str(one) for one in value] if isinstance(value, list | tuple) else []


def _names_of(ids: object, items: tuple[Object, ...]) -> str:
    """Names instead of ids; an unknown id stays."""
    names = {str(one.get("id")): str(one.get("name")) for one in items if one.get("name")}
    wanted = [str(one) for one in ids if one] if isinstance(ids, list | tuple) else []
    return ", ".join(names.get(one, one) for one in wanted)
