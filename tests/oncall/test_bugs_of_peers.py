"""What goes wrong in other on-call screens, each as a test of ours."""

import json
from datetime import UTC
from typing import Any

import httpx

from registry.doors.oncall_print import board_lines
from registry.oncall import reading
from registry.oncall.as_json import as_json
from registry.oncall.board import board, marks
from registry.oncall.facts import Facts
from registry.oncall.headline import headline
from registry.oncall.report import report
from registry.oncall.scope import Scope
from registry.oncall.words import called, following, nothing, plain
from tests.hostile import CONTROLS, MARKUP, forbidden_in_output
from tests.oncall.watch import HOUR, ME, NOW, Service, Watch, incident, oncall, policy, scripted, titled


async def test_zero_has_several_texts() -> None:
    assert nothing(board(Facts(), NOW), "incidents", 0, "open incidents").words == "Not loaded yet."
    async with scripted() as watch:
        assert nothing(await watch.refreshed(), "incidents", 0, "open incidents").words == "No open incidents."
    for one, told in ((incident("I1"), "▲ 1 OF YOURS HIDDEN. "), (incident("I1", assignments=[]), "• ")):
        async with scripted(incidents=[one]) as watch:
            made = await watch.refreshed(Scope(urgency="low"))
            words = nothing(made, "incidents", made.verdict.outside, "open incidents").words
            assert words == "No open incidents match the filters; 1 hidden."
            hidden = f"{told}NONE MATCH THE FILTERS. 1 hidden, 1 high and not acknowledged."
            assert headline(made, NOW, 15, UTC).words == hidden


async def test_old_open_incidents_are_there() -> None:
    """Open for 40 days, and for a year and a half: a list without a window would not tell of either."""
    old = incident("OLD", created_at="2024-07-01T00:00:00Z", last_status_change_at="2024-07-01T00:00:00Z")

    def answer(request: httpx.Request) -> dict[str, Any]:
        since, until = (reading.moment(request.url.params[name]) or 0 for name in ("since", "until"))
        assert 0 < until - since < 182 * 24 * HOUR
        there = [old] if since <= 1719792000 < until and request.url.params["statuses[]"] == "triggered" else []
        return {"incidents": there, "limit": 50, "offset": 0, "more": False}

    async with scripted(incidents=answer) as watch:
        made = await watch.refreshed()
        assert [row.incident.id for row in made.rows] == ["OLD"]
        assert made.rows[0].neglected
        since = made.facts.panel("incidents").since
        assert since is not None
        assert since < NOW - 365 * 24 * HOUR
    async with Watch() as watch:
        assert titled(await watch.refreshed(), "Disk 80 %").incident.created < NOW - 40 * 24 * HOUR


async def test_hostile_names_are_only_words() -> None:
    harm = " ".join(MARKUP + CONTROLS)
    named = {"id": "S1", "type": "service_reference", "summary": harm}
    loud = [incident("I1", title=harm, service=named, assignments=[{"at": None, "assignee": {"id": "U9", "summary": harm}}])]
    entry: dict[str, Any] = {"id": "R1", "type": "notify_log_entry", "created_at": "2025-12-01T02:10:30Z", "summary": harm}
    entry |= {"incident": {"id": "I1", "summary": harm}, "user": {"id": "U9", "summary": harm}}
    entry |= {"channel": {"type": harm, "notification": {"type": harm, "status": harm}}}
    duty = oncall(1, "U1") | {"user": {"id": "U9", "summary": harm}}
    watch = scripted(incidents=loud, log_entries=[entry], oncalls=[duty], escalation_policies=[policy(5)])
    async with watch:
        made = await watch.refreshed()
        (row,) = made.rows
        texts = [*board_lines(made, 15), report(made, UTC, 15), plain(called(row, UTC, "")), following(row, NOW, UTC, "").words]
        for text in texts:
            assert not forbidden_in_output(text.encode("utf-8", "surrogatepass"))
            assert "\x1b" not in text
        assert "\x1b" not in json.dumps(as_json(made))


async def test_an_incident_between_two_lists_is_not_lost() -> None:
    """Taken back between the read of one list and the read of the other, it is in neither: it is looked up before it goes."""
    service = Service(me=ME, incidents=[incident("I1"), incident("I2")])
    async with Watch(network=service) as watch:
        await watch.refreshed()
        service.listed |= {"incidents": [], "I1": lambda _: {"incident": incident("I1")}}
        service.listed["I2"] = lambda _: {"incident": incident("I2", status="resolved")}
        made = await watch.after(15)
        assert [row.incident.id for row in made.rows] == ["I1"]
        service.listed["I1"] = 500
        made = await watch.after(30)
        assert [row.incident.id for row in made.rows] == ["I1"]
        service.listed["I1"] = 404
        # A "not found" may be a mistake; three in a row, each beside complete lists without it, are not.
        for seconds in (45, 60):
            assert [row.incident.id for row in (await watch.after(seconds)).rows] == ["I1"]
        before = watch.board()
        after = await watch.after(75)
        assert after.rows == ()
        assert marks(before, after) == {"I1": "GONE"}


async def test_a_name_on_two_levels_is_told_as_ambiguous() -> None:
    """The same person on two levels whose delays are the same, and no log: both are told, and neither is claimed."""
    entries = [oncall(1, "U1"), oncall(2, "U1")]
    async with scripted(incidents=[incident("I1")], oncalls=entries, escalation_policies=[policy(5, 5)]) as watch:
        (row,) = (await watch.refreshed()).rows
        assert row.levels == (1, 2)
        assert row.level == "L1/2"
        assert (row.next.levels, row.next.people) == ((), ())
        assert following(row, NOW, UTC, "").words == "→ level unknown in 1m00s"
    async with scripted(incidents=[incident("I1")], oncalls=[oncall(1, "U7")], escalation_policies=[policy(5)]) as watch:
        (row,) = (await watch.refreshed()).rows
        assert (row.levels, row.level) == ((), "?")
