"""Checks before a user's access is changed: the differences by name, and whether the ids exist in the account.

``deleting.json`` names these functions.
"""

import asyncio
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from registry.catalog.model import Tool
from registry.changes.check_result import Check, CheckResult, Companion, Difference, Fact, called, fact
from registry.changes.checked import existing, sent_fields
from registry.changes.reads import Items, Object, ReadResult, Reads
from registry.text.shown import shortened, visible_line

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
    role_ids: list[Any] = [*_texts(user.get("roleIds"))] or [user.get("roleId")]
    team_ids = [user.get("primaryTeamId"), *_texts(user.get("secondaryTeamIds"))]
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
    problems = (f"Could not load the person: {present.problem}",) if present.problem and not new else ()
    role = next((one for one in roles.items if str(one.get("id")) == given.get("roleId")), {})
    before, after = _texts(user.get("secondaryTeamIds")), _teams_left(given, user)
    companions: list[Companion] = []
    if role.get("requiresBillingWrite") is True and user.get("roleId") != given["roleId"]:
        companions.append(Companion("a paid seat, used by this role", 1))
    if before and not after and not problems:
        companions.append(Companion(f"no additional team is left: {_named(before, teams)} removed", len(before)))
    return CheckResult(
        body=b"" if new else present.body,
        checks=(
            *([_address(given, present)] if new else []),
            *_known("role", [given.get("roleId")], roles),
            *_known("team", [given.get("primaryTeamId"), *_texts(given.get("secondaryTeamIds"))], teams),
        ),
        companions=tuple(companions),
        differences=() if problems else tuple(_differences(given, user, roles, teams)),
        problems=problems,
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


def _named(ids: list[Any], items: Items) -> str:
    return shortened(visible_line(_names_of(ids, items.items)), _LONGEST)


def _differences(given: Mapping[str, object], user: Mapping[str, Any], roles: Items, teams: Items) -> list[Difference]:
    items = {"roleId": roles, "primaryTeamId": teams, "secondaryTeamIds": teams}

    def line(name: str, value: object) -> str:
        if name in items:
            return _named(_texts(value) or [value], items[name])
        words = ("yes" if value else "no") if isinstance(value, bool) else str(value or "")
        return shortened(visible_line(words), _LONGEST)

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


def _known(what: str, ids: list[Any], items: Items) -> Iterator[Check]:
    """Checks whether the ids exist in the account."""
    known = {str(one.get("id")): visible_line(str(one.get("name"))) for one in items.items}
    there = shortened(", ".join(f"{name} {visible_line(id_)}" for id_, name in known.items()), 400)
    for id_ in dict.fromkeys(str(one) for one in ids if one):
        shown = visible_line(id_)
        if id_ in known:
            yield Check(True, f"Assigns {what} {known[id_]}.")
        elif items.problem or items.more:
            yield Check(None, f"Could not check whether {what} {shown} exists.")
        else:
            yield Check(False, f"No {what} {shown} in this account; available: {there}.")


def _texts(value: object) -> list[str]:
    return [str(one) for one in value] if isinstance(value, list | tuple) else []


def _names_of(ids: Iterable[object], items: tuple[Object, ...]) -> str:
    """Names instead of ids; an unknown id stays."""
    names = {str(one.get("id")): str(one.get("name")) for one in items if one.get("name")}
    return ", ".join(names.get(str(one), str(one)) for one in ids if one)
