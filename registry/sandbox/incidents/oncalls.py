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


def duties(
    account: Account, schedules: Collection[str] | None, policies: Collection[str] | None, since: int, until: int
) -> list[Duty]:
    """Duties that overlap a window, by policy name, level and start.

    Args:
        account: where policies and schedules are.
        schedules: those that are asked for; may hold `PERMANENT`, None is every one.
        policies: those that are asked for; None is every one.
        since: the window's start, Unix seconds.
        until: its end; the same as `since` for a single moment.
    """
    until = min(until, account.now + _AHEAD)
    found: list[Duty] = []
    for policy in account.every("escalation_policy") if until >= since else ():
        if policies is not None and policy.id not in policies:
            continue
        for level, rule in enumerate(policy.body["rules"], start=1):
            for kind, id_ in rule["targets"]:
                if schedules is not None and (PERMANENT if kind == "user" else id_) not in schedules:
                    continue
                if kind == "user":
                    found.append(Duty(policy.id, level, None, id_, None, None))
                else:
                    found += (Duty(policy.id, level, id_, *shift) for shift in account.rotation(id_).shifts(since, until))
    return found


def earliest(found: Collection[Duty]) -> list[Duty]:
    """Of the duties of one person on one level of one policy, the first."""
    first: dict[tuple[str, int, str], Duty] = {}
    for duty in found:
        key = duty.policy, duty.level, duty.user
        if key not in first or (duty.start or 0) < (first[key].start or 0):
            first[key] = duty
    return list(first.values())


def oncall(rendering: Rendering, duty: Duty) -> Record:
    """A duty as the service shows it."""
    return {
        "escalation_policy": thing(rendering, "escalation_policy", duty.policy, "escalation_policies"),
        "escalation_level": duty.level,
        "schedule": None if duty.schedule is None else thing(rendering, "schedule", duty.schedule, "schedules"),
        "user": thing(rendering, "user", duty.user, "users"),
        "start": rendering.time_or_null(duty.start),
        "end": rendering.time_or_null(duty.end),
    }
