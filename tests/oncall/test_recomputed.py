"""The dashboard against the sandbox's own knowledge at random moments: counts, mine, the next escalation and whom it reaches,
who is on call, handoffs, the next hour, the coverage of 14 days.
"""

import random
from collections.abc import Mapping
from datetime import UTC
from typing import Any

import pytest

from registry.oncall.board import Board, IncidentRow
from registry.oncall.escalation import OnCallLevel, OnCallPolicy
from registry.oncall.forecast import FORTNIGHT, coverage, forecast
from registry.sandbox.incidents.rotations import PolicyReach
from registry.sandbox.incidents.scenarios import BY_NAME
from tests.oncall.oracle import Oracle, Truth, oracle
from tests.oncall.watch import HOUR, NOW, Watch

SURE = {"level", "again", "nobody"}


def policy_reach_of(one: Oracle) -> PolicyReach:
    return next(iter(one.courses.values()))._policy_reach


def differences(made: Board, truth: Mapping[str, Truth], policy_reach: PolicyReach, now: int) -> list[str]:
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
    coming = [one.escalation for one in truth.values() if one.status == "triggered"]
    soonest = [deed.at for deed in coming if deed is not None and deed.people]
    if made.soonest is not None and made.soonest.next.at is not None and made.soonest.next.at <= now + HOUR:
        same("the next escalation", made.soonest.next.at, min(soonest, default=None))
    for row in made.rows:
        same(f"{row.incident.id} is open", row.incident.id in truth, True)
        if row.incident.id in truth:
            _row(row, truth[row.incident.id], same)
    for one in made.policies:
        rules = policy_reach.levels(one.policy.id)
        for level in one.levels:
            reached = set(_everybody(policy_reach, one.policy.id, level.number - 1, now, rules))
            same(f"{one.policy.name} L{level.number}", {duty.user.id for duty in level.duties}, reached)
            _handoffs(one, level, policy_reach, same)
    _hour(made, truth, same)
    _fortnight(made, policy_reach, now, same)
    return found


def _handoffs(of: OnCallPolicy, level: OnCallLevel, policy_reach: PolicyReach, same: Any) -> None:
    """Who comes when a shift ends, and when a level without anybody is covered again."""
    for duty in level.duties:
        then = level.then.get(duty.user.id)
        if duty.end is not None and duty.schedule is not None and then is not None:
            comes = policy_reach._rotations[duty.schedule.id].on_call(int(duty.end))
            expected = set() if comes is None else {comes}
            same(f"{of.policy.name} L{level.number} after {duty.user.name}", {ref.id for ref in then}, expected)
    if level.returns is not None:
        at, rules = int(level.returns), policy_reach.levels(of.policy.id)
        covered = [bool(_everybody(policy_reach, of.policy.id, level.number - 1, moment, rules)) for moment in (at - 1, at)]
        same(f"{of.policy.name} L{level.number} is covered again at {at}", covered, [False, True])


def _fortnight(made: Board, policy_reach: PolicyReach, now: int, same: Any) -> None:
    """Who covers each level, at the borders of what is said and at random moments between them; and every gap."""
    names = {duty.user.id: duty.user.name for duty in (*made.facts.duties, *made.facts.later)}
    dice = random.Random(now)
    covers = coverage(made, UTC)
    assert covers is not None
    for cover in covers:
        rules = policy_reach.levels(cover.policy.id)
        same(f"levels of {cover.policy.name}", len(cover.levels), len(rules))
        for level in cover.levels:
            at = f"coverage of {cover.policy.name} L{level.level}"
            ends = [one.end for one in level.stretches]
            same(f"{at} has no hole", [one.start for one in level.stretches], [now, *ends[:-1]])
            same(f"{at} ends", ends[-1], now + FORTNIGHT)
            for one in level.stretches:
                inside = [dice.uniform(one.start, one.end) for _ in range(4)]
                moments = {int(one.start), int(one.end) - 1, *map(int, inside)} if one.people is not None else set()
                for moment in moments:
                    people = set(_everybody(policy_reach, cover.policy.id, level.level - 1, moment, rules))
                    same(f"{at} at {moment - now} s", set(one.people or ()), {names.get(id_, id_) for id_ in people})
            for moment in (dice.randrange(now, now + int(FORTNIGHT)) for _ in range(20)):
                if not _everybody(policy_reach, cover.policy.id, level.level - 1, moment, rules):
                    told = [one for one in level.stretches if not one.people and one.start <= moment < one.end]
                    same(f"{at} has a gap at {moment - now} s", bool(told), True)


def _everybody(policy_reach: PolicyReach, policy: str, level: int, now: int, rules: list[dict[str, Any]]) -> list[str]:
    if rules[level]["strategy"] != "round_robin":
        return policy_reach.reached(policy, level, now, 0)
    return [person for turn in range(len(rules[level]["targets"])) for person in policy_reach.reached(policy, level, now, turn)]


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


async def compared(scenario: str, moments: list[int]) -> None:
    """Compares at each of these moments."""
    found: list[str] = []
    with oracle() as one:
        async with Watch(scenario) as watch:
            for moment in sorted(moments):
                made = await watch.after(moment)
                for _ in range(9):
                    # After hours without a refresh more may have ended than are looked up at once.
                    made = await watch.refreshed() if made.facts.unconfirmed | made.facts.unlisted else made
                if made.facts.panel("incidents").trouble is None:
                    now = int(watch.clock.now())
                    found += differences(made, one.truth(now), policy_reach_of(one), now)
    assert not found, f"{len(found)} differences\n" + "\n".join(found[:30])


@pytest.mark.parametrize(
    ("scenario", "close", "far"),
    [("busy-night", 3, 1), *(pytest.param(name, 35, 15, marks=pytest.mark.long) for name in BY_NAME)],
)
async def test_random_moments(scenario: str, close: int, far: int) -> None:
    """So many moments within two hours, and then over some days."""
    dice = random.Random(scenario)
    await compared(scenario, [*dice.sample(range(2 * HOUR), close), *dice.sample(range(2 * HOUR, 60 * HOUR), far)])
