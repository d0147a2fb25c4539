"""The query of a request: which parameters the incident service knows, how it reads them, and what it refuses.

Unknown names are silently ignored, as by the real service: a filter that is misspelt, or sent where it does not exist, returns
the whole list. Values of known parameters are checked.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar
from zoneinfo import ZoneInfo

from starlette.datastructures import QueryParams

from registry.sandbox.incidents.errors import INVALID, TOO_DEEP, Refusal, bad_range, too_wide
from registry.sandbox.incidents.times import months_later, parse, zone

DEFAULT_LIMIT, MOST_PER_PAGE, DEEPEST = 25, 100, 10_000
LONGEST_WINDOW = 6  # months
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
            raise Refusal(INVALID, f"{_called(name)} must be true or false.")
        return value in ("true", "1")

    def several(self, name: str, choices: Iterable[str] | None = None) -> frozenset[str] | None:
        """A set filter, sent as ``name[]`` once per value; None when it was not sent.

        Raises:
            Refusal: 400, a value that is not one of the choices.
        """
        values = frozenset(self._params.getlist(f"{name}[]"))
        if choices is not None and not values <= frozenset(choices):
            raise Refusal(INVALID, f"{_called(name)} is invalid.")
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
                TOO_DEEP,
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
                raise Refusal(INVALID, "Sort by is invalid.")
            wanted.append((field, direction == "desc"))
        if len(wanted) > most:
            raise Refusal(INVALID, f"Sort by takes at most {most} fields.")
        return wanted

    def moments(self) -> tuple[int | None, int | None]:
        """`since` and `until` in Unix seconds, each None when it was not sent.

        Raises:
            Refusal: 400, one is not a time, or the window ends before it starts.
        """
        texts = {name: self.text(name) for name in ("since", "until")}
        since, until = (None if text is None else parse(name, text) for name, text in texts.items())
        if since is not None and until is not None and until < since:
            raise bad_range()
        return since, until

    def window(self, now: int) -> tuple[int, int]:
        """`since` and `until` of a list that is always limited: a month if an end is missing, at most six.

        Raises:
            Refusal: 400, as for `moments`, or the window is too wide.
        """
        since, until = self.moments()
        if since is None:
            until = now if until is None else until
            return months_later(until, -1), until
        until = months_later(since, 1) if until is None else until
        check_width(since, until)
        return since, until

    def _number(self, name: str, default: int, least: int) -> int:
        text = self._params.get(name)
        if text is None:
            return default
        if not _WHOLE.fullmatch(text) or int(text) < least:
            raise Refusal(INVALID, f"{_called(name)} must be a whole number from {least}.")
        return int(text)


def check_width(since: int, until: int) -> None:
    """That a window is not too wide.

    Raises:
        Refusal: 400, it is.
    """
    if until > months_later(since, LONGEST_WINDOW):
        raise too_wide()


def _called(name: str) -> str:
    return name.replace("_", " ").capitalize()
