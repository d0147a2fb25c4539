"""The query of a request: which parameters the incident service knows, how it reads them, and what it refuses.

Unknown names are silently ignored, as by the real service: a filter that is misspelt, or sent where it does not exist, returns
the whole list. Values of known parameters are checked.

Inside, a moment is an integer: Unix seconds. Outside it is ISO 8601, and one that is written without a zone is in the account's
zone. A refusal's body is ``{"error": {"message", "code", "errors"}}``; `errors` is omitted without details. Two look different,
as they do outside: an address that is too long is turned away before the service sees it (plain text), and an account-level
token that asks who it is gets its reason as a plain string under ``error``.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, time, timedelta
from functools import cache
from typing import Any, TypeVar
from zoneinfo import ZoneInfo

from starlette.datastructures import QueryParams

from registry.sandbox.world import later

REFUSALS: Mapping[int | str, tuple[int, str, int]] = {
    400: (400, "Invalid Input Provided", 2001),  # a parameter's value that the service cannot take
    "no user": (400, "The request can't be completed: it was made with an account-level access token.", 2001),
    "too deep": (400, "Arguments Caused Error", 2002),  # a page beyond the 10,000th object of its list
    "bad time": (400, "Invalid time values in since/until", 2004),
    "bad range": (400, "Invalid Query Date Range", 2005),
    401: (401, "Authentication failed", 2006),  # no proper token, or one that has expired or was revoked
    402: (402, "Missing Account Ability", 2014),  # the account has not paid for what the request needs
    403: (403, "Access Denied", 2010),  # this token may not do that
    404: (404, "Not Found", 2100),  # no such path, object, or method of the path
    408: (408, "Request Took Too Long", 2016),
    429: (429, "Rate Limit Exceeded", 2020),
    500: (500, "Internal Server Error", 2000),
    503: (503, "Service Unavailable", 2000),
}
"""By HTTP status, or what is wrong: status, message and code."""


class Refusal(Exception):
    """A request that is not carried out, by its key in `REFUSALS`."""

    def __init__(self, why: int | str, *errors: str) -> None:
        self.status, message, code = REFUSALS[why]
        super().__init__(message)
        error: dict[str, Any] = {"message": message, "code": code, **({"errors": list(errors)} if errors else {})}
        self.body = {"error": message if why == "no user" else error}


ACCOUNT_ZONE = "Europe/Berlin"
WORKDAYS = (1, 2, 3, 4, 5)  # Monday is 1
_LAST = 253_370_764_799  # the end of the year 9998: a year further could not be written everywhere


@cache
def zone(name: str) -> ZoneInfo:
    """The zone of that IANA name.

    Raises:
        Refusal: 400, it is not a zone.
    """
    try:
        return ZoneInfo(name)
    except (ValueError, OSError, LookupError) as error:
        raise Refusal(400, "Time zone is not a valid IANA time zone.") from error


def parse(name: str, text: str) -> int:
    """A moment that a request names, in Unix seconds.

    Args:
        name: the parameter, for the refusal.
        text: ISO 8601 from 1970 on, date only or with a time; without a zone it is in the account's.

    Raises:
        Refusal: 400, it is not a time.
    """
    try:
        moment = datetime.fromisoformat(text)
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=zone(ACCOUNT_ZONE))
        seconds = int(moment.timestamp())
    except (ValueError, OverflowError):
        seconds = -1
    if not 0 <= seconds <= _LAST:
        raise Refusal("bad time", f"{name.capitalize()} is not a valid ISO 8601 time.")
    return seconds


def show(moment: int, where: ZoneInfo) -> str:
    """A moment in a zone, with the zone's offset at that moment; UTC as ``Z``."""
    text = datetime.fromtimestamp(moment, where).isoformat()
    return text[:-6] + "Z" if where.key == "UTC" else text


def within(hours: Sequence[str], moment: int) -> bool:
    """Whether a moment lies within support hours: zone, start and end as ``HH:MM:SS``, on workdays."""
    where, opens, closes = hours
    local = datetime.fromtimestamp(moment, zone(where))
    return local.isoweekday() in WORKDAYS and time.fromisoformat(opens) <= local.time() < time.fromisoformat(closes)


def next_start(hours: Sequence[str], moment: int) -> int:
    """The next moment, after this one, at which support hours begin."""
    where, opens, _ = hours
    day = datetime.fromtimestamp(moment, zone(where)).date()
    while True:
        start = int(datetime.combine(day, time.fromisoformat(opens), zone(where)).timestamp())
        if day.isoweekday() in WORKDAYS and start > moment:
            return start
        day += timedelta(days=1)


DEFAULT_LIMIT, MOST_PER_PAGE, DEEPEST = 25, 100, 10_000
LONGEST_WINDOW = 6  # months
_ABILITIES = {"teams": "team_ids[]", "urgencies": "urgencies[]"}
_WHOLE = re.compile(r"[0-9]{1,9}", re.ASCII)
_Item = TypeVar("_Item")


class QueryParameters:
    """A request's query."""

    def __init__(self, params: QueryParams) -> None:
        self._params = params

    def text(self, name: str) -> str | None:
        """A single value; None when it was not sent or is empty."""
        return self._params.get(name) or None

    def flag(self, name: str) -> bool:
        """A boolean; false when it was not sent.

        Raises:
            Refusal: 400, it is not true, false, 1 or 0.
        """
        value = self._params.get(name, "false")
        if value not in ("true", "false", "1", "0"):
            raise Refusal(400, f"{_called(name)} must be true or false.")
        return value in ("true", "1")

    def several(self, name: str, choices: Iterable[str] | None = None) -> frozenset[str] | None:
        """A set filter, sent as ``name[]`` once per value; None when it was not sent.

        Raises:
            Refusal: 400, a value that is not one of the choices.
        """
        values = frozenset(self._params.getlist(f"{name}[]"))
        if choices is not None and not values <= frozenset(choices):
            raise Refusal(400, f"{_called(name)} is invalid.")
        return values or None

    def zone(self, default: str) -> ZoneInfo:
        """The zone that times are shown in."""
        return zone(self._params.get("time_zone", default))

    def page(self) -> tuple[int, int]:
        """Limit and offset of the page that is wanted. A limit above the most is taken as the most.

        Raises:
            Refusal: 400, a limit or offset that is not a number, or a page too far down the list.
        """
        limit = min(self._number("limit", DEFAULT_LIMIT, 1), MOST_PER_PAGE)
        offset = self._number("offset", 0, 0)
        if offset + limit > DEEPEST:
            raise Refusal(
                "too deep",
                "Offset+limit exceeds maximum allowed value of 10000. Please try to refine your search to get fewer results.",
            )
        return limit, offset

    def listed(self, name: str, items: Sequence[_Item], write: Callable[[_Item], Any]) -> dict[str, Any]:
        """A page of a list: the objects under their name, and the page's position in the whole list."""
        limit, offset = self.page()
        return self.list_response(name, list(map(write, items[offset : offset + limit])), len(items))

    def list_response(self, name: str, shown: list[Any], total: int) -> dict[str, Any]:
        """A page of a list whose objects are there already."""
        limit, offset = self.page()
        told = total if self.flag("total") else None
        return {name: shown, "limit": limit, "offset": offset, "more": offset + limit < total, "total": told}

    def order(self, fields: Iterable[str], most: int = 1) -> list[tuple[str, bool]]:
        """`sort_by`: field names in order of their weight, each with whether it runs downwards.

        Raises:
            Refusal: 400, an unknown field or direction, or too many of them.
        """
        known = frozenset(fields)
        wanted = []
        text = self.text("sort_by")
        for part in text.split(",") if text else ():
            field, _, direction = part.partition(":")
            if field not in known or direction not in ("", "asc", "desc"):
                raise Refusal(400, "Sort by is invalid.")
            wanted.append((field, direction == "desc"))
        if len(wanted) > most:
            raise Refusal(400, f"Sort by takes at most {most} fields.")
        return wanted

    def moments(self) -> tuple[int | None, int | None]:
        """`since` and `until` in Unix seconds, each None when it was not sent.

        Raises:
            Refusal: 400, one is not a time, or the window ends before it starts.
        """
        texts = {name: self.text(name) for name in ("since", "until")}
        since, until = (None if text is None else parse(name, text) for name, text in texts.items())
        if since is not None and until is not None and until < since:
            raise Refusal("bad range", "Until must not be before since.")
        return since, until

    def window(self, now: int) -> tuple[int, int]:
        """`since` and `until` of a list that is always limited: a month if an end is missing, at most six.

        Raises:
            Refusal: 400, as for `moments`, or the window is too wide.
        """
        since, until = self.moments()
        if since is None:
            until = now if until is None else until
            return later(until, -1), until
        until = later(since, 1) if until is None else until
        check_width(since, until)
        return since, until

    def check_plan(self, path: str) -> None:
        """That a plan without teams, urgencies and round robin includes what is asked for.

        The abilities are documented by their error. That round robin is refused with 403 was seen on some accounts; others
        leave the field out.

        Raises:
            Refusal: 402 or 403, it does not.
        """
        for ability, filter_ in _ABILITIES.items():
            if path.startswith(f"/{ability}") or filter_ in self._params:
                raise Refusal(402, f"The account does not have the ability {ability}.")
        if "escalation_rule_assignment_strategies" in self._params.getlist("include[]"):
            raise Refusal(403)

    def _number(self, name: str, default: int, least: int) -> int:
        text = self._params.get(name)
        if text is None:
            return default
        if not _WHOLE.fullmatch(text) or int(text) < least:
            raise Refusal(400, f"{_called(name)} must be a whole number from {least}.")
        return int(text)


def check_width(since: int, until: int) -> None:
    """That a window is not too wide.

    Raises:
        Refusal: 400, it is.
    """
    if until > later(since, LONGEST_WINDOW):
        raise Refusal(400, " is invalid.")  # it says as little outside


def _called(name: str) -> str:
    return name.replace("_", " ").capitalize()
