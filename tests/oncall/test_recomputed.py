"""The dashboard against the sandbox's own knowledge at random moments: counts, mine, the next escalation and whom it reaches,
who is on call, the next hour; and each prediction that comes due against what the sandbox then did."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

import pytest

from registry.oncall.board import Board, IncidentRow
from registry.oncall.forecast import forecast
from registry.sandbox.incidents.ladders import Ladder
from registry.sandbox.incidents.scenarios import BY_NAME
from tests.oncall.oracle import Oracle, Truth, oracle
from tests.oncall.watch import HOUR, NOW, Watch

SURE = {"level", "again", "nobody"}


def ladder_of(one: Oracle) -> Ladder:
    return next(iter(one.courses.values()))._ladder


def differences(made: Board, truth: Mapping[str, Truth], ladder: Ladder, now: int) -> list[str]:
    """Where the dashboard says something else than the sandbox knows, in words."""
    found: list[str] = []

    def same(what: str, ours: object, theirs: object) -> None:
        if ours != theirs:
            found.append(f"{now - NOW} s: {what}: dashboard {ours!r}, sandbox {theirs!r}")

    me = made.mine.me.id if made.mine.me else ""
    burning = [one for one in truth.values() if one.status == "triggered"]
    counts = made.verdict
    same("triggered", counts.triggered, len(burning))
    same("high", counts.high, sum(one.urgency == "high" for one in burning))
    same("acknowledged", counts.acknowledged, len(truth) - len(burning))
    same("mine", counts.mine, sum(me in one.assigned for one in truth.values()))
    same("mine, unacknowledged", counts.mine_triggered, sum(me in one.assigned for one in burning))
    same("more may exist", counts.more, False)
    soonest = [one.escalation.at for one in truth.values() if one.status == "triggered" and one.escalation]
    if made.soonest is not None and made.soonest.next.at is not None and made.soonest.next.at <= now + HOUR:
        same("the next escalation", made.soonest.next.at, min(soonest, default=None))
    for row in made.rows:
        same(f"{row.incident.id} is open", row.incident.id in truth, True)
        if row.incident.id in truth:
            _row(row, truth[row.incident.id], same)
    for one in made.ladders:
        rules = ladder.levels(one.policy.id)
        for rung in one.rungs:
            reached = set(_everybody(ladder, one.policy.id, rung.level - 1, now, rules))
            same(f"{one.policy.name} L{rung.level}", {duty.user.id for duty in rung.duties}, reached)
    _hour(made, truth, same)
    return found


def _everybody(ladder: Ladder, policy: str, level: int, now: int, rules: list[dict[str, Any]]) -> list[str]:
    if rules[level]["strategy"] != "round_robin":
        return ladder.reached(policy, level, now, 0)
    return [person for turn in range(len(rules[level]["targets"])) for person in ladder.reached(policy, level, now, turn)]


def _row(row: IncidentRow, true: Truth, same: Any) -> None:
    following, id_ = row.next, row.incident.id
    if row.levels:
        same(f"{id_} level", true.level in row.levels, True)
    if true.status != "triggered" or not following.pages or following.kind not in SURE:
        return
    deed = true.escalation
    if deed is None:
        return
    same(f"{id_} at", following.at, deed.at)
    people = {ref.id for ref in following.people}
    if following.kind == "nobody":
        same(f"{id_} reaches", set(), set(deed.people))
    elif following.one_of:
        same(f"{id_} reaches one of", set(deed.people) <= people and len(deed.people) == 1, True)
    elif people:
        same(f"{id_} reaches", people, set(deed.people))


def _hour(made: Board, truth: Mapping[str, Truth], same: Any) -> None:
    """Up to the first page of an incident that is not known, the forecast is what happens, and nothing is missing."""
    ahead = forecast(made)
    for id_, true in truth.items():
        ours = [page for page in ahead.pages if page.row.incident.id == id_]
        end = next((page.at for page in ours if page.why == "unknown"), ahead.end)
        said = [page for page in ours if page.at < end]
        deeds = [deed for deed in true.deeds if deed.at < end and deed.kind not in ("repeat_escalation_path", "resolve")]
        same(f"{id_} pages", [page.at for page in said], [deed.at for deed in deeds])
        for page, deed in zip(said, deeds, strict=False):
            people = {ref.id for ref in page.people}
            right = set(deed.people) <= people and len(deed.people) == 1 if page.one_of else people == set(deed.people)
            same(f"{id_} {page.why} at {page.at}", right, True)


async def compared(scenario: str, moments: list[int]) -> tuple[list[str], int]:
    """The differences at these moments, and how many predictions came due."""
    found: list[str] = []
    due: dict[tuple[str, float], set[str]] = {}
    came = 0
    with oracle() as one:
        async with Watch(scenario) as watch:
            for moment in moments:
                made = await watch.after(moment)
                now = int(watch.clock.now())
                for _ in range(9):
                    # After hours without a refresh more may have ended than are looked up at once.
                    made = await watch.refreshed() if made.facts.unconfirmed | made.facts.unlisted else made
                if made.facts.panel("incidents").trouble is not None:
                    continue
                found += differences(made, one.truth(now), ladder_of(one), now)
                for (id_, at), people in [entry for entry in due.items() if entry[0][1] <= now]:
                    del due[id_, at]
                    log = one.courses[id_].until(now)[1]
                    happened = [set(body["assignees"]) for when, body in log if when == at and body["type"] == "escalate"]
                    came += bool(happened)
                    if happened and not happened[0] <= people:
                        found.append(f"{id_} escalated at {at} to {happened}, the dashboard said {people}")
                for row in made.rows:
                    if row.next.pages and row.next.people and row.next.at is not None:
                        due[row.incident.id, row.next.at] = {ref.id for ref in row.next.people}
    return found, came


@pytest.mark.parametrize("scenario", sorted(BY_NAME))
async def test_a_few_moments(scenario: str) -> None:
    moments = sorted(random.Random(scenario).sample(range(2 * HOUR), 4 if scenario != "storm" else 2))
    found, _ = await compared(scenario, moments)
    assert not found, "\n".join(found[:20])


@pytest.mark.long
@pytest.mark.parametrize("scenario", sorted(BY_NAME))
async def test_many_moments(scenario: str) -> None:
    """Two hundred moments over all scenarios, close together at first and then over some days."""
    dice = random.Random(f"many {scenario}")
    moments = sorted({*dice.sample(range(2 * HOUR), 35), *dice.sample(range(2 * HOUR, 60 * HOUR), 15)})
    found, came = await compared(scenario, moments)
    assert not found, f"{len(found)} differences, {came} predictions came due\n" + "\n".join(found[:30])
    assert came or scenario == "quiet"
