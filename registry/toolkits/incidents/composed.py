"""The incident tools that need several requests, or further processing of the result."""

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

from jellyfish import damerau_levenshtein_distance

from registry.calling.arguments import Arguments, Value
from registry.calling.failures import CallFailed
from registry.calling.request import PlannedRequest, plan
from registry.calling.result import Failure
from registry.calling.sending import Composed, Sender, json_object
from registry.catalog.model import Tool
from registry.toolkits.incidents.rules import windows

# How far into a list an offset and a limit may reach together (`deepest` in service.json).
_LAST_ITEM = 10_000
_PAGE = 100
_WINDOW = {"since", "until"}
_MATCHES = 25
_ACCEPTED = 0.9
# Ids of 7 to 14 letters and the key before each: this many stay below the 4 KB that an address may have.
_IDS_IN_ONE_ADDRESS = 80
_WORD = re.compile(r"[^\W_]+")


async def search_users(arguments: Arguments, sender: Sender) -> Composed:
    """Every user compared with the query here: finds emails, and misspelt names, which the service's own filter misses.

    Returns {query, searched, accepted, matches: [{confidence 0–1, accepted, user}]}, best first. With `auto_accept_matches`,
    matches above 0.9 are accepted, and `accepted` holds their users' ids.
    """
    query, notes = str(arguments.values["query"]), []
    users, complete = await _everything(sender, PlannedRequest("GET", sender.tool.path), "users")
    if not complete:
        notes.append(f"Partial result: only the first {len(users)} users were searched.")
    accept = arguments.values.get("auto_accept_matches") is True
    matches = []
    for user in users:
        texts = [user[name] for name in ("name", "email") if isinstance(user.get(name), str)]
        local = [text.partition("@")[0].replace(".", " ") for text in texts if "@" in text]
        confidence = round(max((_confidence(query, text) for text in texts + local), default=0.0), 3)
        if confidence >= 0.5:
            matches.append({"confidence": confidence, "accepted": accept and confidence > _ACCEPTED, "user": user})
    matches.sort(key=lambda match: (-match["confidence"], str(match["user"].get("name", ""))))
    accepted = [match["user"].get("id") for match in matches if match["accepted"]]
    if len(matches) > _MATCHES:
        notes.append(f"Only the best {_MATCHES} of {len(matches)} matches are listed.")
    return {"query": query, "searched": len(users), "accepted": accepted, "matches": matches[:_MATCHES]}, notes


def _confidence(query: str, text: str) -> float:
    """How alike two texts are, from 0 to 1: as they are, in another order of words, or the query and a part of the text."""
    said, words = ([*map(str, _WORD.findall(one.lower()))] for one in (query, text))
    parts = [words[start : start + len(said)] for start in range(len(words) - len(said) + 1)]
    whole = max(_likeness(said, words), 0.95 * _likeness(sorted(said), sorted(words)))
    return max([whole, *(0.9 * _likeness(said, part) for part in parts)])


def _likeness(one: Sequence[str], other: Sequence[str]) -> float:
    first, second = " ".join(one), " ".join(other)
    return 1 - damerau_levenshtein_distance(first, second) / max(len(first), len(second), 1)


async def get_team(arguments: Arguments, sender: Sender) -> Composed:
    """A team with its members, services, escalation policies and schedules.

    The team itself decides between found and not found; a part that cannot be read is null and named in the notes.
    """
    team_id, notes = str(arguments.values["team_id"]), []
    body: dict[str, Any] = {"team": (await json_object(sender, plan(sender.tool, arguments))).get("team")}
    members = PlannedRequest("GET", f"/teams/{quote(team_id, safe='')}/members", (("include[]", "users"),))
    lists = ("services", "escalation_policies", "schedules")
    of_team = {name: PlannedRequest("GET", f"/{name}", (("team_ids[]", team_id),)) for name in lists}
    for name, request in {"members": members, **of_team}.items():
        shown = name.replace("_", " ")
        try:
            body[name], complete = await _everything(sender, request, name)
        except CallFailed as failed:
            body[name] = None
            notes.append(f"Could not load the team's {shown}: {failed.failure.cause}")
        else:
            notes += [] if complete else [f"The team has more {shown} than could be loaded."]
    return body, notes


async def list_oncalls(arguments: Arguments, sender: Sender) -> Composed:
    """Who is on call, with two filters that the service lacks: teams, and windows that contain whole entries.

    Teams become their escalation policies; no policy means an empty result without a further request. `since` and `until`
    keep entries that are completely inside the window; the service returns all that overlap it.
    """
    values, notes = dict(arguments.values), list[str]()
    teams = values.pop("team_ids", None)
    first = plan(sender.tool, Arguments(values))
    policies: list[str] | None = None
    if isinstance(teams, tuple):
        found, complete = await _everything(sender, _policies_of(teams), "escalation_policies")
        if not complete:
            notes.append("Partial result: not all of the teams' escalation policies could be loaded.")
        wanted = values.get("escalation_policy_ids")
        policies = [str(policy["id"]) for policy in found if not isinstance(wanted, tuple) or policy["id"] in wanted]
        if not policies:
            return _window([], values), [*notes, "These teams have no escalation policy, so nobody is on call."]
    starts = range(0, len(policies) if policies is not None else 1, _IDS_IN_ONE_ADDRESS)
    requests = [
        first
        if policies is None
        else first.with_query(*(("escalation_policy_ids[]", id_) for id_ in policies[start : start + _IDS_IN_ONE_ADDRESS]))
        for start in starts
    ]
    # With an end of the window, entries are selected here, from all that the service lists.
    if not values.keys() & _WINDOW and len(requests) == 1:
        return await json_object(sender, requests[0]), notes
    entries: list[Any] = []
    for request in requests:
        found, complete = await _everything(sender, request, "oncalls")
        entries += found
        if not complete:
            notes.append(f"Partial result: only the first {len(found)} entries were loaded.")
    return _window([entry for entry in entries if _inside(entry, values)], values), notes


async def list_incidents(arguments: Arguments, sender: Sender) -> Composed:
    """A page of the incidents of more than six months: the service's lists of shorter windows, one after another.

    Each window is asked how many it has in total, because the offset counts from the beginning of the first. Where two windows
    meet they overlap: how the service treats their ends is not documented.
    """
    offset, limit = int(arguments.values.get("offset", 0)), int(arguments.values.get("limit", 10))  # type: ignore[arg-type]
    found: list[Any] = []
    passed = 0
    for window in windows(sender.tool, arguments.values):
        place = {"offset": max(offset - passed, 0), "limit": max(limit - len(found), 1)}
        request = plan(sender.tool, Arguments({**arguments.values, **window, **place}))
        page = await json_object(sender, request.with_query(("total", "true")))
        came, total = page.get("incidents"), page.get("total")
        if not isinstance(came, list) or not isinstance(total, int):
            cause = "The service did not say how many incidents of a window it has."
            raise CallFailed(Failure("protocol", "Unexpected response", cause, "List six months at a time."))
        found += came[: limit - len(found)]
        passed += total
    more = offset + len(found) < passed
    return {"incidents": found, "limit": limit, "offset": offset, "more": more, "total": passed}, []


def opening(tool: Tool, arguments: Arguments) -> PlannedRequest:
    """The first request that a call makes, for showing; the arguments may be incomplete."""
    if len(parts := windows(tool, arguments.values)) > 1:
        return plan(tool, Arguments({**arguments.values, **parts[0]})).with_query(("total", "true"))
    first = plan(tool, arguments)
    if tool.composed == "search_users" or (tool.composed == "list_oncalls" and arguments.values.keys() & _WINDOW):
        first = _page(first, 0)
    teams = arguments.values.get("team_ids")
    if tool.composed == "list_oncalls" and isinstance(teams, tuple):
        return _page(_policies_of(teams), 0)
    return first


def _policies_of(teams: tuple[Value, ...]) -> PlannedRequest:
    return PlannedRequest("GET", "/escalation_policies", tuple(("team_ids[]", str(team)) for team in teams))


def _page(request: PlannedRequest, offset: int) -> PlannedRequest:
    return request.with_query(("limit", str(_PAGE)), ("offset", str(offset)))


def _window(entries: list[Any], values: Mapping[str, Value]) -> dict[str, Any]:
    """A page of entries that were selected here, in the service's form of pages."""
    offset, limit = int(values.get("offset", 0)), int(values.get("limit", 10))  # type: ignore[arg-type]
    page = entries[offset : offset + limit]
    more = offset + len(page) < len(entries)
    return {"oncalls": page, "limit": limit, "offset": offset, "more": more, "total": len(entries)}


def _inside(entry: Any, values: Mapping[str, Value]) -> bool:
    """Whether an entry starts at or after `since` and ends at or before `until`. Without an end it never ends."""
    start, end = (_moment(entry.get(name)) if isinstance(entry, dict) else None for name in ("start", "end"))
    since, until = _moment(values.get("since")), _moment(values.get("until"))
    return (since is None or (start is not None and start >= since)) and (until is None or (end is not None and end <= until))


def _moment(text: object) -> datetime | None:
    try:
        moment = datetime.fromisoformat(text) if isinstance(text, str) else None
    except ValueError:
        return None
    return moment.replace(tzinfo=UTC) if moment is not None and moment.tzinfo is None else moment


async def _everything(sender: Sender, request: PlannedRequest, name: str) -> tuple[list[Any], bool]:
    """The items of all pages, and whether these are all there are. A failure after the first page ends the list early."""
    items: list[Any] = []
    while True:
        try:
            page = await json_object(sender, _page(request, len(items)))
        except CallFailed:
            if not items:
                raise
            return items, False
        came = page.get(name)
        if not isinstance(came, list):
            return items, False
        items += came
        if page.get("more") is not True or not came:
            # A page that does not say whether there is a next one, or promises one but is empty, is not the end of a list.
            return items, page.get("more") is False
        if len(items) + _PAGE > _LAST_ITEM:
            return items, False
