"""What the first two lines and each row may say, every one of them brought about once; and that no two parts disagree."""

from typing import Any
from zoneinfo import ZoneInfo

import httpx
import pytest
from msgspec.structs import replace

from registry.oncall.board import board
from registry.oncall.escalation import Next
from registry.oncall.facts import Facts, Read, Trouble
from registry.oncall.headline import headline
from registry.oncall.model import DUE, Ref
from registry.oncall.words import following, freshness, level_line, my_duty, next_clock, next_words, plain, state
from tests.cases import cases_beside
from tests.oncall.watch import HOUR, NOW, incident, oncall, policy, scripted, user

CASES = cases_beside(__file__)

BERLIN = ZoneInfo("Europe/Berlin")
TAKEN = [{"at": "2025-12-01T02:12:00Z", "acknowledger": {"id": "U1", "summary": "Ann"}}]
ACK = {"status": "acknowledged", "pending_actions": [], "acknowledgements": TAKEN}


@pytest.mark.parametrize(
    ("listed", "told"),
    [
        ([], "✓ All clear. 0 open, read completely 0s ago; no services."),
        ([incident("A")], "▲ 1 is yours, unacknowledged for 4m00s. In 1m00s it escalates; to whom is unknown."),
        ([incident("A", urgency="low")],
         "▲ 1 is yours, low urgency, unacknowledged for 4m00s. In 1m00s it escalates; to whom is unknown."),
        (
            [incident("A"), incident("B", urgency="low"), incident("C", assignments=[])],
            "▲ 2 are yours, unacknowledged for 4m00s. In 1m00s api escalates; to whom is unknown.",
        ),
        ([incident("A", urgency="low"), incident("B", assignments=[])],
         "▲ 2 triggered (1 high), 1 yours, low urgency. In 1m00s api escalates; to whom is unknown."),
        ([incident("A", **ACK)], "• None triggered, 1 acknowledged, 1 is yours."),
        ([incident("A", **ACK, assignments=[]), incident("B", assignments=[])],
         "▲ 1 triggered (all high), none yours. In 1m00s api escalates; to whom is unknown."),
        ([incident("A", last_status_change_at="2025-12-01T01:13:59Z", created_at="2025-12-01T01:00:00Z", assignments=[])],
         "▲ 1 triggered (all high), none yours. In 1m00s api escalates; to whom is unknown."),
        ([incident("A", pending_actions=[{"type": "escalate", "at": "2025-12-01T02:18:00Z"}]),
          incident("B", assignments=[{"at": "2025-12-01T02:10:00Z", "assignee": user("U2")}],
                   service={"id": "S2", "summary": "db"})],
         "▲ 1 is yours, unacknowledged for 4m00s. In 4m00s it escalates; to whom is unknown. "
         "Others: db → level unknown in 1m00s."),
        ([incident("A", pending_actions=[]),
          incident("B", assignments=[{"at": "2025-12-01T02:10:00Z", "assignee": user("U2")}])],
         "▲ 1 is yours, unacknowledged for 4m00s. Nobody left to page. Others: api → level unknown in 1m00s."),
        ([incident("A", pending_actions=[{"type": "escalate", "at": "2025-12-01T02:13:30Z"}])],
         "▲ 1 is yours, unacknowledged for 4m00s. Now due: it escalates; to whom is unknown."),
        ([incident("A", status="paused")],
         "▲ 1 is yours, unacknowledged for 4m00s. In 1m00s it escalates; to whom is unknown."),
    ],
)  # fmt: skip
async def test_the_verdict(listed: list[dict[str, Any]], told: str) -> None:
    def answer(request: httpx.Request) -> dict[str, Any]:
        # A status that came later is listed with what is triggered: it must never be missed.
        wanted = request.url.params["statuses[]"]
        recent = request.url.params["until"] > "2025-12-01"
        found = [one for one in listed if (one["status"] == "acknowledged") is (wanted == "acknowledged")]
        return {"incidents": found if recent else [], "more": False}

    async with scripted(incidents=answer) as watch:
        made = await watch.refreshed()
        assert watch.verdict() == told
        if " Others: " in told:
            shorter = [headline(made, NOW, 15, BERLIN, room).words for room in (100, 60, 40)]
            assert all("1m00s" not in words or ". Others: " in words for words in shorter), "never as if it were mine"
            assert shorter[-1].startswith("▲ 1 yours, unacknowledged. "), shorter


def read(**parts: Read) -> dict[str, Read]:
    return {name.replace("_", " "): part for name, part in parts.items()}


def test_my_duty_says_what_is_not_known() -> None:
    def told(facts: Facts) -> str:
        made = board(facts, NOW)
        return plain(my_duty(made.mine, facts, NOW, BERLIN, brief=1))

    assert told(Facts()) == "YOU: not loaded yet"
    assert told(Facts(reads=read(me=Read(trouble=Trouble("401: no", NOW))))) == "YOU: your user is unknown (401: no)"
    assert freshness(Read(trouble=Trouble("401: no", NOW)), NOW, 15)[0].words == "FAILED: 401: no"


@pytest.mark.parametrize(
    ("duties", "later", "told"),
    [
        (500, [], "on-call status not loaded"),
        ([], [], "on-call status unknown; the list is not complete"),
        ([oncall(1, "U2")], [], "not on call; no shift in the next 3 weeks"),
        ([oncall(1, "U2")], 500, "not on call; next shift not loaded yet"),
        ([oncall(1, "U1")], [], "on call L1 Policy always"),
        ([oncall(1, "U1", None, None, "S1")], [], "on call L1 Policy no end time"),
        (
            [oncall(1, "U1", None, "2025-12-01T03:14:00Z", "S1"), oncall(2, "U1")],
            [oncall(1, "U2", "2025-12-01T08:00:00Z", "2025-12-02T08:00:00Z", "S1")],
            "on call L1 Policy until 04:14 CET (1h00m), then NOBODY; also L2 Policy",
        ),
        ([oncall(1, "U1", None, "2025-12-01T03:14:00Z", "S1")], 500, "on call L1 Policy until 04:14 CET (1h00m), then ?"),
    ],
)
async def test_my_duty(duties: Any, later: Any, told: str) -> None:
    def answer(request: httpx.Request) -> Any:
        found = later if "since" in request.url.params else duties
        return httpx.Response(found) if isinstance(found, int) else {"oncalls": found, "more": False}

    async with scripted(oncalls=answer, escalation_policies=[policy(5, 5)]) as watch:
        made = await watch.refreshed()
        assert plain(my_duty(made.mine, made.facts, NOW, BERLIN, brief=1)) == f"YOU: {told}"
        if "until" in told:
            assert f"until 04:14 CET ({DUE})" in plain(my_duty(made.mine, made.facts, NOW + HOUR, BERLIN))
            for brief, end in ((2, "until 04:14 CET,"), (3, "for 1h00m,")):
                said = told.replace("until 04:14 CET (1h00m),", end)  # who follows is always said
                assert plain(my_duty(made.mine, made.facts, NOW, BERLIN, brief=brief)) == f"YOU: {said}"


@pytest.mark.parametrize(
    ("changes", "row"),
    [
        ({}, ("TRIG", "L1", "→ L2 Name U2 in 1m00s", "1m00s", "→ L2 Name U2")),
        ({"urgency": "low", "pending_actions": []}, ("TRIG", "L1", "low urgency: does not escalate", "", "low: no escalation")),
        (
            {"assigned_via": "direct_assignment", "pending_actions": []},
            ("TRIG", "–", "assigned directly: does not escalate", "", "direct: no escalation"),
        ),
        ({"assigned_via": None, "pending_actions": []}, ("TRIG", "?", "next escalation unknown", "", "next unknown")),
        ({"pending_actions": []}, ("TRIG", "L1", "nobody left to page", "", "nobody left to page")),
        (ACK, ("ACK", "L1", "no ack timeout", "", "no ack timeout")),
        (
            ACK | {"pending_actions": [{"type": "unacknowledge", "at": "2025-12-01T02:42:00Z"}]},
            ("ACK", "L1", "ack times out in 28m00s", "28m00s", "ack times out"),
        ),
        (
            {"urgency": "low", "pending_actions": [{"type": "urgency_change", "at": "2025-12-01T08:00:00Z"}]},
            ("TRIG", "L1", "high urgency from 09:00 CET (in 5h46m)", "5h46m", "→ high"),
        ),
        ({"status": "paused"}, ("PAUS", "L1", "→ L2 Name U2 in 1m00s", "1m00s", "→ L2 Name U2")),
    ],
)
async def test_a_row(changes: dict[str, Any], row: tuple[str, ...]) -> None:
    one = incident("A", **changes)
    duties = [oncall(1, "U1"), oncall(2, "U2")]

    def answer(request: httpx.Request) -> dict[str, Any]:
        return {"incidents": [one] if request.url.params["until"] > "2025-12-01" else [], "more": False}

    async with scripted(incidents=answer, oncalls=duties, escalation_policies=[policy(5, 5)]) as watch:
        (found,) = (await watch.refreshed()).rows
        assert (
            state(found),
            found.level,
            following(found, NOW, BERLIN, "").words,
            next_clock(found, NOW),
            next_words(found, ""),
        ) == row
        assert following(found, NOW, BERLIN, "", by_clock=True).words.count("CET") < 2, "a moment once"
        again = replace(found, next=Next("again", NOW + 60, (1,), (Ref("U9", "Amara Okafor"),)))
        said = [next_words(again, "", width) for width in (14, 20, 30)]
        assert said == ["again L1 Amara", "→ again L1 Amara O.", "→ again L1 Amara Okafor"]


async def test_a_policy_whose_levels_are_not_loaded() -> None:
    async with scripted(oncalls=[oncall(2, "U1"), oncall(1, "U2")], escalation_policies=500) as watch:
        (on_call,) = (await watch.refreshed()).policies
        assert on_call.details is None
        assert [plain(level_line(one, NOW, BERLIN, "U1")) for one in on_call.levels] == ["L1 Name U2 always", "L2 you always"]


@pytest.mark.parametrize(("strategy", "head"), CASES["whether a level pages one or all"])
async def test_whether_a_level_pages_one_or_all(strategy: Any, head: str) -> None:
    duties = [oncall(1, "U1"), oncall(2, "U2"), oncall(2, "U3")]

    def incidents(request: httpx.Request) -> dict[str, Any]:
        return {"incidents": [incident("A")] if request.url.params["until"] > "2025-12-01" else [], "more": False}

    def policies(request: httpx.Request) -> Any:
        asked = request.url.params.get("include[]") == "escalation_rule_assignment_strategies"
        if asked and isinstance(strategy, int):
            return strategy
        found = policy(5, 5)
        for rule, people in zip(found["escalation_rules"], ([user("U1")], [user("U2"), user("U3")]), strict=True):
            rule |= {"targets": people} | ({"escalation_rule_assignment_strategy": strategy} if asked else {})
        return {"escalation_policies": [found], "more": False}

    async with scripted(incidents=incidents, oncalls=duties, escalation_policies=policies) as watch:
        made = await watch.refreshed()
        (row,), (shown,) = made.rows, made.policies
        assert following(row, NOW, BERLIN, "").words == f"→ L2 {head}Name U2, Name U3 in 1m00s"
        assert next_words(row, "", 20) == f"→ L2 {head.replace('one', '1')}2" if head else "→ L2 Name U2, Name U3"
        assert plain(level_line(shown.levels[1], NOW, BERLIN, "")) == f"L2 {head}Name U2, Name U3 always"
        assert made.rows[0].next.one_of is {"one of ": True, "": False}.get(head)
        assert made.facts.read("policies").complete
