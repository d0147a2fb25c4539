"""What may go wrong between the service and the board, and what the board may say then: one table for every door.

`O…` are the rows of the list of known faults. Times count from the present, so that every door reads them by its own clock.
"""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from email.utils import formatdate
from itertools import count
from typing import Any, NamedTuple

import httpx
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tests.oncall.watch import DAY, HOUR, ME, MINUTE, Service, incident, oncall, policy, user

Found = Mapping[str, Any]


class Damage(NamedTuple):
    """What a service serves, in which headers, and how the verdict begins. A reason is named somewhere."""

    name: str
    served: Found
    verdict: str
    code: int
    reason: str = ""
    rows: int | None = None
    headers: Callable[[httpx.Request], Mapping[str, str]] | None = None
    status: int = 200


class Damaged:
    """The service as an application; `damage` can be exchanged."""

    def __init__(self, damage: Damage) -> None:
        self.damage = damage
        self.application = Starlette(routes=[Route("/{path:path}", self._answer)])

    async def _answer(self, request: Request) -> Response:
        asked = httpx.Request("GET", f"http://service{request.url.path.removeprefix('/incidents')}?{request.url.query}")
        made = Service(**self.damage.served)._serve(asked)
        assert isinstance(made, httpx.Response)
        status = self.damage.status if made.status_code == 200 else made.status_code
        age = {name: made.headers[name] for name in ("age",) if name in made.headers}
        return Response(made.content, status, self.damage.headers(asked) if self.damage.headers is not None else age)


def damages(now: float) -> list[Damage]:
    """The table, for a present in Unix seconds."""

    def at(seconds: float) -> str:
        return datetime.fromtimestamp(now + seconds, UTC).isoformat(timespec="seconds")

    def one(id_: str = "A", status: str = "triggered", ago: float = 4 * MINUTE, **changes: Any) -> dict[str, Any]:
        times: dict[str, Any] = {name: at(-ago) for name in ("created_at", "last_status_change_at")}
        times["assignments"] = [{"at": at(-ago), "assignee": user("U1")}]
        times["pending_actions"] = [{"type": "escalate", "at": at(MINUTE)}] if status == "triggered" else []
        return incident(id_, status=status, **{**times, **changes})

    def entry(kind: str, incident_: str = "A", seconds: float = -MINUTE) -> dict[str, Any]:
        ref = {"id": incident_, "type": "incident_reference"}
        return {"id": f"R-{kind}-{incident_}", "type": f"{kind}_log_entry", "created_at": at(seconds), "incident": ref}

    def service(state: str = "active", **changes: Any) -> dict[str, Any]:
        return {"id": "S1", "name": "api", "status": state, "escalation_policy": {"id": "E1"}, "teams": [], **changes}

    quiet: dict[str, Any] = {
        "me": ME, "services": [service()], "oncalls": [oncall(1, "U1")], "escalation_policies": [policy(5)],
        "log_entries": [entry("trigger", "OLD", -2 * HOUR), entry("resolve", "OLD", -HOUR)],
    }  # fmt: skip

    def is_new(asked: httpx.Request) -> bool:
        """Whether the window of the present is asked for, not one of long ago."""
        return asked.url.params["until"] > at(0)

    def listed(*pages: Any, status: str = "triggered", **more: Any) -> Callable[[httpx.Request], Any]:
        """A list of incidents in these pages; a page may also be a whole answer."""

        def answer(asked: httpx.Request) -> Any:
            if asked.url.params["statuses[]"] != status or not is_new(asked):
                return {"incidents": [], "more": False}
            page = pages[min(int(asked.url.params.get("offset", "0")) // 50, len(pages) - 1)]
            if not isinstance(page, list):
                return page
            return {"incidents": page, "more": page is not pages[-1], **more}

        return answer

    def whole(answer: Any, name: str = "incidents") -> Found:
        return {name: (lambda _: answer)}

    def copy(answer: Any) -> httpx.Response:
        return httpx.Response(200, json=answer, headers={"age": "7200"})

    def moving(*statuses: str) -> Callable[[httpx.Request], list[Any]]:
        """An incident's status at each reading of a list."""
        asked = count()
        return lambda request: [one(status=statuses[min(next(asked), len(statuses) - 1)])] if is_new(request) else []

    def both(asked: httpx.Request) -> Any:
        items = [one(status=asked.url.params["statuses[]"])] if is_new(asked) else []
        return {"incidents": items, "more": False}

    def dated(ahead: float, age: int | None = None) -> Callable[[httpx.Request], Mapping[str, str]]:
        return lambda _: {"date": formatdate(now + ahead, usegmt=True), **({} if age is None else {"age": str(age)})}

    def old_list(asked: httpx.Request) -> Mapping[str, str]:
        return {"date": formatdate(now - 2 * HOUR * ("incidents" in asked.url.path), usegmt=True)}

    def later_list(asked: httpx.Request) -> Mapping[str, str]:
        return {"date": formatdate(now + 2 * HOUR * ("acknowledged" in str(asked.url)), usegmt=True)}

    many = [one(f"I{number}") for number in range(60)]
    fifty, html = many[:50], httpx.Response(200, content=b"<html>Bad gateway</html>")
    held, taken = one(status="acknowledged"), one(status="acknowledged", ago=HOUR)
    clear, doubt, partial, yours = "✓ All clear. ", "? DOUBTFUL. ", "? NOT COMPLETE. No open incidents so far", "▲ 1 is yours"
    partly = "▲ NOT COMPLETE. "
    table: list[tuple[Any, ...]] = [
        ("nothing", {}, clear, 0),
        ("one incident", {"incidents": [one()]}, yours, 10, "", 1),
        ("O1 3 announced, none came", {"incidents": listed([], total=3)}, partial, 1, "triggered: 3 announced, 0 came"),
        ("O1 2 acknowledged announced", {"incidents": listed([], status="acknowledged", total=2)}, partial, 1, "2 announced"),
        *((f"O1 {total!r} announced", {"incidents": listed([], total=total)}, partial, 1, "triggered: more may exist")
          for total in ("3", 3.0, -1, True)),
        ("O1 another page than was asked for", {"incidents": listed([], offset=50)}, partial, 1, "triggered: more may exist"),
        ("O1 the log announced more", whole({"log_entries": [], "more": False, "total": 9}, "log_entries"),
         "? No open incidents; log not checked.", 0),
        ("O1 75 announced, 50 came", {"incidents": listed(fifty, total=75)}, partly, 10, "75 announced, 50 came", 50),
        ("O1 75 announced, 25 came twice", {"incidents": listed(fifty, fifty[:25], total=75)}, partly, 10, "75 announced"),
        ("O2 triggered again between the lists", {"incidents": moving("acknowledged", "triggered")}, "▲ ", 10, "", 1),
        ("O2 acknowledged between the lists", {"incidents": moving("triggered", "triggered", "acknowledged")}, "▲ ", 10, "", 1),
        *(
            (f"O2 {kind} in the log, in no list: {begins}", {"log_entries": [entry(kind)], "A": answer}, begins, code)
            for kind in ("trigger", "unacknowledge", "escalate", "acknowledge", "notify", "annotate", "merge")
            for answer, begins, code in (({"incident": one(ago=HOUR)}, "▲ DOUBTFUL. ", 10), (500, doubt, 1))
        ),
        ("O2 triggered again after its end", {"log_entries": [entry("trigger"), entry("resolve", seconds=-HOUR)],
                                              "A": {"incident": one()}}, "▲ ", 10, "", 1),
        ("O2 a note on one that is over", {"log_entries": [entry("annotate"), entry("resolve", seconds=-HOUR)], "A": 500},
         clear, 0),
        ("O2 looked up, and it ended before the log's last entry",
         {"log_entries": [entry("trigger")], "A": {"incident": one(status="resolved", ago=HOUR)}}, doubt, 1, "the log names 1"),
        ("O2 an entry of an unknown kind, in no list", {"log_entries": [entry("reopen")], "A": {"incident": one(ago=HOUR)}},
         "▲ DOUBTFUL. ", 10, "", 1),
        ("O2 looked up, and an old copy came",
         {"incidents": [taken], "log_entries": [entry("unacknowledge")], "A": copy({"incident": taken})}, doubt, 1,
         "1 acknowledged"),
        ("O2 the log is of another account", {"log_entries": [entry("trigger")], "A": 404}, doubt, 1, "the log names 1"),
        ("O2 the log names one that is over",
         {"log_entries": [entry("trigger")], "A": {"incident": one(status="resolved", ago=30)}}, clear, 0),
        ("O2 acknowledged in the list, triggered again in the log",
         {"incidents": [taken], "log_entries": [entry("unacknowledge")], "A": {"incident": one(ago=HOUR)}}, "▲ ", 10, "", 1),
        ("O2 the same, and it cannot be looked up",
         {"incidents": [taken], "log_entries": [entry("unacknowledge")], "A": 500}, doubt, 1, "1 acknowledged"),
        ("O3 twice in one list", {"incidents": listed([one(), held])}, "▲ NOT COMPLETE. ", 10, "1 unreadable", 1),
        ("O3 in both lists", {"incidents": both}, yours, 10, "", 1),
        *(
            (f"O4 page 2 is {name}", {"incidents": listed(fifty, answer)}, partly, 10, f"triggered: {cause}", 50)
            for name, answer, cause in (
                ("500", 500, "500"), ("403", 403, "403"), ("HTML", html, "200: invalid"), ("{}", {"incidents": {}}, "the"),
            )
        ),
        ("O4 page 2 of those acknowledged",
         {"incidents": listed([one(f"I{n}", "acknowledged") for n in range(50)], 500, status="acknowledged")},
         "? NOT COMPLETE. ", 1, "acknowledged: 500", 50),
        ("O5 a copy of yesterday", {}, "? NOT COMPLETE. ", 1, "triggered: 24h old", None, dated(-DAY, DAY)),
        ("O5 a copy without Age", {}, "? NOT COMPLETE. ", 1, " old; acknowledged: ", None, old_list),
        ("O5 the same, of one incident", {"incidents": [one()]}, "▲ STALE. ", 10, " old; ack", 1, old_list),
        ("O5 a Date of 2150", {}, doubt, 1, "'s differ by", None, dated(125 * 365 * DAY)),
        *((f"O5 Age {age}", {}, verdict, code, reason, None, lambda _, age=age: {"age": age})
          for age, verdict, code, reason in (("-5", clear, 0, ""), ("0, 86400", "? NOT", 1, "24h"), ("9" * 30, "? NOT", 1, ""),
                                             ("86400.5", "? NOT", 1, "24h old"), ("soon", clear, 0, ""))),
        *((f"O5 {code}", {}, "? UNKNOWN. ", 1, f"{code}: not a whole response", None, None, code) for code in (203, 206)),
        *(
            (f"O6 Date {ahead} s ahead, incidents agree with here", {"incidents": [one()]}, f"{yours}, unacknowledged for 4m",
             10, "", 1, dated(ahead))
            for ahead in (5 * MINUTE, -5 * MINUTE, 2 * HOUR, -2 * HOUR)
        ),
        *(
            (f"O6 Date {ahead} s ahead, and nothing decides", {"log_entries": []}, doubt, 1, "'s differ by", None,
             dated(ahead))
            for ahead in (5 * MINUTE, -5 * MINUTE, 2 * HOUR, -2 * HOUR)
        ),
        ("O6 Date 20 s ahead", {}, clear, 0, "", None, dated(20)),
        ("O6 one list is of two hours later", {}, doubt, 1, "'s differ by", None, later_list),
        ("an incident of tomorrow", {"incidents": [one(ago=-20 * HOUR)]}, "▲ DOUBTFUL. ", 10, "in the future", 1),
        ("a log of tomorrow", {"log_entries": [entry("annotate", "A", HOUR)]}, doubt, 1, "in the future"),
        ("a pending escalation without a zone", {"incidents": [one(pending_actions=[{"type": "escalate", "at": at(60)[:19]}])]},
         yours, 10, "unknown", 1),
        ("an unknown status",
         {"incidents": lambda asked: {"incidents": [one(status="on_fire")] if is_new(asked) else [], "more": False}},
         yours, 10, "", 1),
        ("an unknown urgency", {"incidents": [one(urgency=None)]}, yours, 10, "", 1),
        ("resolved in a list of open ones", {"incidents": listed([one(status="resolved")])}, partial, 1, "1 unreadable"),
        ("an item is null", {"incidents": listed([None])}, partial, 1, "1 unreadable"),
        ("an item without a time", {"incidents": listed([one(created_at=None)])}, partial, 1, "1 unreadable"),
        ("every item twice", {"incidents": listed([one(), one()])}, partly, 10, "triggered: 1 unreadable"),
        ("more for ever, nothing comes", {"incidents": listed([], more=True)}, partial, 1, "triggered: more may exist"),
        ("the same page for ever", {"incidents": listed(fifty, more=True)}, partly, 10, "triggered: more may exist", 50),
        ("more is a text", {"incidents": listed([], more="false")}, partial, 1, "triggered: more may exist"),
        ("the list is null", whole({"incidents": None}), "? UNKNOWN. ", 1, "no list of incidents"),
        ("an empty object", whole({}), "? UNKNOWN. ", 1, "no list of incidents"),
        ("an error inside 200", whole({"error": {"message": "no"}}), "? UNKNOWN. ", 1, "an error instead of incidents"),
        ("a list, and an error", whole({"incidents": [], "more": False, "error": {"code": 1}}), "? UNKNOWN. ", 1, "an error"),
        ("an empty body", whole(httpx.Response(200)), "? UNKNOWN. ", 1, "triggered: "),
        ("HTML with 200", whole(html), "? UNKNOWN. ", 1, "triggered: "),
        ("401", {"incidents": 401}, "? UNKNOWN. ", 3, "401: the token is not accepted"),
        ("403 of one list", {"incidents": listed(403, status="acknowledged")}, partial, 3, "acknowledged: 403"),
        ("403 of one list, and one incident", {"incidents": lambda asked: 403 if "ack" in str(asked.url) else [one()]},
         "▲ NOT COMPLETE. 1+ are yours", 10, "acknowledged: 403", 1),
        ("500", {"incidents": 500}, "? UNKNOWN. ", 1, "500: the service failed"),
        ("500, and the log names one", {"incidents": 500, "log_entries": [entry("trigger")], "A": {"incident": one()}},
         "▲ NOT COMPLETE. 1+ are yours", 10, "triggered: 500", 1),
        ("older incidents fail", {"incidents": lambda asked: [] if is_new(asked) else 500}, partial, 1, "older incidents: 500"),
        ("no services", {"services": 500}, "? No open incidents; services not checked.", 0),
        ("services are no list", whole({"services": {}}, "services"), "? No open incidents; services not checked.", 0),
        ("no log", {"log_entries": 500}, "? No open incidents; log not checked.", 0),
        ("half a log", {"log_entries": lambda asked: html if "offset" in asked.url.params else
                        {"log_entries": [entry("resolve", f"I{n}") for n in range(50)], "more": True}},
         "? No open incidents; log not checked.", 0),
        ("a log entry that cannot be read", {"log_entries": [{**entry("trigger"), "incident": None, "id": None}]},
         "? No open incidents; log not checked.", 0),
        ("O2 a trigger in the log names no incident", {"log_entries": [{**entry("trigger"), "incident": None}]},
         "? No open incidents; log not checked.", 0),
        ("O2 a service had an incident that the log lacks", {"services": [service(last_incident_timestamp=at(-MINUTE))]},
         doubt, 1, "1 service had an incident that the log lacks"),
        ("O2 a service had one that the log has", {"services": [service(last_incident_timestamp=at(-HOUR))],
                                                   "log_entries": [{**entry("resolve"), "service": {"id": "S1"}}]}, clear, 0),
        ("no service, though the log has entries", {"services": []}, "? No open incidents; services not checked.", 0),
        ("a service in an unknown state", {"services": [service("on_fire")]}, "? No open incidents; services not checked.", 0),
        ("a service is critical", {"services": [service("critical")]}, doubt, 1, "1 service is critical"),
        ("a service has another name in the list", {"services": [service("critical", name="new")], "incidents": [one()]},
         yours, 10, "", 1),
        ("all else fails", {"incidents": [one()], **dict.fromkeys(("oncalls", "escalation_policies", "services"), 500)},
         yours, 10, "", 1),
        ("acknowledged only", {"incidents": [held]}, "• None triggered, 1 acknowledged", 0, "", 1),
    ]  # fmt: skip
    return [row._replace(served={**quiet, **row.served}) for row in (Damage(*row) for row in table)]
