"""Who is on call: every level of every policy, from the schedules and from the people who are named directly.

A list has the duties that overlap its window. A duty from a schedule is complete, even if it reaches beyond the window; the
duty of a person who is named directly has neither schedule nor start nor end. Duties that begin more than ninety days ahead are
omitted.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from registry.sandbox.incidents.account import Account
from registry.sandbox.incidents.directory import thing
from registry.sandbox.incidents.rendering import Record, Rendering
from registry.sandbox.incidents.rotations import Shift
from registry.sandbox.world import DAY

PERMANENT = "null"
_AHEAD = 90 * DAY


class Duty(NamedTuple):
    """One person on one level of one policy. Without a schedule it is permanent, without an end it never ends."""

    policy: str
    level: int
    schedule: str | None
    user: str
    start: int | None
    end: int | None


class DutyFilter(NamedTuple):
    """What a list asks for; None is everything. `schedules` may hold `PERMANENT`."""

    schedules: Collection[str] | None
    policies: Collection[str] | None
    users: Collection[str] | None


def duties(account: Account, wanted: DutyFilter, since: int, until: int) -> list[Duty]:
    """Duties that overlap a window, by policy name, level and start.

    Args:
        account: where policies and schedules are.
        wanted: the filters.
        since: the window's start, Unix seconds.
        until: its end; the same as `since` for a single moment.
    """
    until = min(until, account.now + _AHEAD)
    if until < since:
        return []
    found: list[Duty] = []
    shifts: dict[str, list[Shift]] = {}
    for policy in account.every("escalation_policy"):
        if wanted.policies is not None and policy.id not in wanted.policies:
            continue
        for level, rule in enumerate(policy.body["rules"], start=1):
            for kind, id_ in rule["targets"]:
                if wanted.schedules is not None and (PERMANENT if kind == "user" else id_) not in wanted.schedules:
                    continue
                if kind == "user":
                    found.append(Duty(policy.id, level, None, id_, None, None))
                    continue
                if id_ not in shifts:
                    shifts[id_] = account.rotation(id_).shifts(since, until)
                found += (Duty(policy.id, level, id_, *shift) for shift in shifts[id_])
    return [duty for duty in found if wanted.users is None or duty.user in wanted.users]


def earliest(found: Collection[Duty]) -> list[Duty]:
    """Of the duties of one person on one level of one policy, the first."""
    first: dict[tuple[str, int, str], Duty] = {}
    for duty in found:
        key = duty.policy, duty.level, duty.user
        if key not in first or (duty.start or 0) < (first[key].start or 0):
            first[key] = duty
    return list(first.values())


def oncall(rendering: Rendering, duty: Duty, include: Collection[str]) -> Record:
    """A duty as the service shows it."""
    return {
        "escalation_policy": thing(rendering, "escalation_policy", duty.policy, in_full="escalation_policies" in include),
        "escalation_level": duty.level,
        "schedule": None
        if duty.schedule is None
        else thing(rendering, "schedule", duty.schedule, in_full="schedules" in include),
        "user": thing(rendering, "user", duty.user, in_full="users" in include),
        "start": rendering.time_or_null(duty.start),
        "end": rendering.time_or_null(duty.end),
    }
