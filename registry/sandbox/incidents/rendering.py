"""The context of writing one response: the address that the caller used, the zone of its times, what it gives in full."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from registry.sandbox.incidents.account import Account
from registry.sandbox.incidents.times import show

Record = dict[str, Any]

WEBSITE = "https://fernway.incidents.example"
_PATHS = {
    "user": "users",
    "team": "teams",
    "schedule": "schedules",
    "escalation_policy": "escalation_policies",
    "service": "services",
    "incident": "incidents",
}


class Rendering(NamedTuple):
    """Writes parts of records for one request.

    `address` is the service's own URL as the caller wrote it, so that a record's ``self`` leads back here; `where` the zone
    that times are shown in; `include` names the parts to give in full instead of by reference.
    """

    account: Account
    address: str
    where: ZoneInfo
    include: Collection[str] = ()

    def full(self, *parts: str) -> bool:
        """Whether one of these parts is to be given in full."""
        return any(part in self.include for part in parts)

    def time(self, moment: int) -> str:
        """A moment in this response's zone."""
        return show(moment, self.where)

    def time_or_null(self, moment: int | None) -> str | None:
        """A moment in this response's zone, or null."""
        return None if moment is None else self.time(moment)

    def head(self, kind: str, id_: str, suffix: str = "") -> Record:
        """What every object and every reference to one begin with."""
        path = _PATHS[kind]
        page = "service-directory" if kind == "service" else path
        summary = self.account.name(kind, id_)
        return self.bare(id_, kind + suffix, summary, own=f"{path}/{id_}", page=f"{page}/{id_}")

    def reference(self, kind: str, id_: str) -> Record:
        """A reference to an object."""
        return self.head(kind, id_, "_reference")

    def references(self, kind: str, ids: Iterable[str]) -> list[Record]:
        """References to objects of one kind."""
        return [self.reference(kind, id_) for id_ in ids]

    def log_entry_head(self, id_: str, type_: str, summary: str, incident: str) -> Record:
        """What a log entry and a reference to one begin with."""
        own = f"log_entries/{id_}"
        return self.bare(id_, type_, summary, own=own, page=f"incidents/{incident}/{own}")

    def bare(self, id_: str, type_: str, summary: str, *, own: str | None = None, page: str | None = None) -> Record:
        """The first fields of an object: `own` is its path here, `page` that on the website, None where it has none."""
        return {
            "id": id_,
            "type": type_,
            "summary": summary,
            "self": own and f"{self.address}/{own}",
            "html_url": page and f"{WEBSITE}/{page}",
        }
