"""Which clock is right: this computer's, the service's or neither. The times of incidents and of the log decide.

What has happened cannot lie in the future, and what is due soon is not long overdue. If these times do not decide, it is a
doubt: countdowns may be wrong, and what seems new may be old.
"""

from email.utils import parsedate_to_datetime
from math import inf

from registry.oncall.facts import PANELS, Facts
from registry.oncall.model import DAY, MINUTE, age

TOLERATED = 5.0  # seconds that change nothing that is shown
SMALL = 2 * MINUTE  # a difference that cannot hide anything: the service's clock counts, because all times come from it
_SLACK = 15.0  # seconds by which the clocks of a service differ among themselves
_LATE = 2 * MINUTE  # how late a service may do what is due
COPY = MINUTE  # a response whose date is so much older than that of others is a copy
# The end of the year 2199. No service's clock shows a later time, and around year 9999 no time can be calculated.
_LAST_DATE = 7_258_118_400


def skew(date: str, age: int, sent: float, received: float) -> float | None:
    """The least number of seconds by which a service's clock is ahead; negative when behind, None without a valid date.

    Args:
        date: a response's ``Date``, which has whole seconds; of a copy from a cache, when the service made it.
        age: how old a copy is, in seconds.
        sent: when the call began, by this clock.
        received: when the response was complete.
    """
    try:
        made = parsedate_to_datetime(date).timestamp() + age
    except (ValueError, TypeError, OverflowError):
        return None
    if not 0 <= made <= _LAST_DATE:
        return None
    return made - received if made > received else min(made + 1 - sent, 0.0)


def age_of_copy(own: float | None, service: float | None) -> float:
    """How old a response is by its date, whose skew is `own`, if other responses have a newer date, whose skew is `service`."""
    behind = 0.0 if own is None or service is None else service - own
    return behind if behind > COPY else 0.0


def judged(ahead: float | None, facts: Facts, now: float) -> tuple[float, str]:
    """By how many seconds to put this clock forward, and why it is not known what time it is, in words.

    `ahead`: by how much the service's clock is ahead of this one, None if it does not say; `now`: by this clock.
    """
    incidents, reads = facts.incidents, [facts.read(part) for part in PANELS["incidents"]]
    past = [event.at for event in facts.events] + [one.since for one in incidents]
    past += [at for one in incidents for _, at in (*one.assigned, *one.acknowledged)]
    # What an older reading says is due is overdue by now.
    is_new = all(read.trouble is None for read in reads)
    due = [at for one in incidents for at in one.pending.values()] if is_new else []
    # By how many seconds this clock is behind, by the times of incidents and of the log.
    least, most = max(past, default=-inf) - now, min(due, default=inf) - min(read.at or now for read in reads)

    def fits(forward: float) -> bool:
        return least - _SLACK <= forward <= most + _LATE

    other = 0.0 if ahead is None or abs(ahead) <= TOLERATED else ahead
    if not other:
        return 0.0, f"what has happened lies {age(least)} in the future by this computer's clock" if least > SMALL else ""
    if fits(0.0) and not fits(other):
        return 0.0, ""
    if abs(other) <= (SMALL if fits(0.0) else DAY) and fits(other):
        return other, ""
    return 0.0, f"this computer's clock and the service's differ by {age(abs(other))}"
