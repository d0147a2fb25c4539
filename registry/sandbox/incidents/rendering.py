"""The context of writing one response: the address that the caller used, the zone of its times, references to other objects."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from zoneinfo import ZoneInfo

from registry.sandbox.incidents.account import Account
from registry.sandbox.incidents.times import show

Record = dict[str, Any]

WEBSITE = "https://fernway.incidents.example"
SUBDOMAIN = "fernway"
_PATHS = {
    "user": "users",
    "team": "teams",
    "schedule": "schedules",
    "escalation_policy": "escalation_policies",
    "service": "services",
    "incident": "incidents",
}


class Rendering:
    """Writes parts of records for one request.

    Args:
        account: where things are looked up.
        address: the service's own URL as the caller wrote it, so that a record's ``self`` leads back here.
        where: the zone that times are shown in.
    """

    def __init__(self, account: Account, address: str, where: ZoneInfo) -> None:
        self.account = account
        self._address = address
        self._where = where

    def inside(self, where: ZoneInfo) -> Rendering:
        """The same with another zone."""
        return Rendering(self.account, self._address, where)

    def time(self, moment: int) -> str:
        """A moment in this response's zone."""
        return show(moment, self._where)

    def time_or_null(self, moment: int | None) -> str | None:
        """A moment in this response's zone, or null."""
        return None if moment is None else self.time(moment)

    def head(self, kind: str, id_: str, suffix: str = "") -> Record:
        """What every object and every reference to one begin with."""
        path = _PATHS[kind]
        page = "service-directory" if kind == "service" else path
        return {
            "id": id_,
            "type": kind + suffix,
            "summary": self.account.name(kind, id_),
            "self": f"{self._address}/{path}/{id_}",
            "html_url": f"{WEBSITE}/{page}/{id_}",
        }

    def reference(self, kind: str, id_: str) -> Record:
        """A reference to an object."""
        return self.head(kind, id_, "_reference")

    def references(self, kind: str, ids: Iterable[str | None]) -> list[Record]:
        """References to objects of one kind; None is left out."""
        return [self.reference(kind, id_) for id_ in ids if id_ is not None]

    def log_entry_head(self, id_: str, type_: str, summary: str, incident: str) -> Record:
        """What a log entry and a reference to one begin with."""
        return {
            "id": id_,
            "type": type_,
            "summary": summary,
            "self": f"{self._address}/log_entries/{id_}",
            "html_url": f"{WEBSITE}/incidents/{incident}/log_entries/{id_}",
        }

    def alert_head(self, id_: str, incident: str, summary: str) -> Record:
        """What an alert begins with."""
        return {
            "id": id_,
            "type": "alert",
            "summary": summary,
            "self": f"{self._address}/incidents/{incident}/alerts/{id_}",
            "html_url": f"{WEBSITE}/alerts/{id_}",
        }
