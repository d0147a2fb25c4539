"""The account's log, kept up to date and read: when incidents began, which are not over, and who was paged.

New entries are fetched with some overlap, and each entry is kept once. There are two reads: the recent entries with everything,
pages to people included, and the important entries of the past week, which are few. After a time without responses there may be
a gap between the two; then the week is read again.
"""

from collections.abc import Collection, Iterable

from msgspec.structs import replace

from registry.oncall import reading
from registry.oncall.clocks import DAY, HOUR, MINUTE, iso
from registry.oncall.facts import Read, Trouble
from registry.oncall.fetch import Clock, Fetcher, FetchFailed
from registry.oncall.model import Event

_KEPT = 7 * DAY
_OVERLAP = 2 * MINUTE
_FIRST_PAGES, _PAGES, _WEEK_PAGES = 4, 10, 40
_MOST = 6_000

# Kinds of log entries whose meaning is known.
KINDS = frozenset(
    (
        *("acknowledge", "annotate", "assign", "custom_field_value_change", "delegate", "escalate", "exhaust_escalation_path"),
        *("field_value_change", "link", "merge", "notify", "priority_change", "reach_ack_limit", "reach_trigger_limit"),
        *("repeat_escalation_path", "resolve", "responder_request", "snooze", "status_update", "trigger", "unacknowledge"),
        *("unlink", "urgency_change"),
    )
)

# Kinds of events that end an acknowledgement, and kinds that call for somebody; a new alert of an incident is a trigger too.
AGAIN = frozenset({"escalate", "unacknowledge", "exhaust_escalation_path", "repeat_escalation_path"})
LOUD = AGAIN | {"trigger"}

# Kinds of events that show that an incident is open.
ALIVE = LOUD | {"acknowledge", "assign", "delegate", "snooze", "responder_request", "reach_ack_limit", "urgency_change"}


class Log:
    """Keeps the log.

    Attributes:
        events: newest first, usually of the last week.
        since: the time since which they are complete.
        history_since: the time since which the important ones are complete; pages to people are not among these. None: the week
            must be read.
        whole: whether every entry that was listed could be read.
    """

    def __init__(self, asking: Fetcher, clock: Clock) -> None:
        self.events: tuple[Event, ...] = ()
        self.since: float | None = None
        self.history_since: float | None = None
        self.whole = True
        self._asking, self._clock = asking, clock
        self._asked_at: float | None = None

    async def go_on(self) -> Read:
        """Read new entries; the first time those of the last day, in at most a few pages.

        Raises:
            FetchFailed: it was not read.
        """
        now = self._clock()
        asked = self._asked_at
        start = now - DAY if asked is None else asked - _OVERLAP
        found, read = await self._entries(start, False, _FIRST_PAGES if asked is None else _PAGES, now)
        reached = start if read.complete else _oldest(found, now)
        if asked is None or reached > asked:
            self.since = reached
            self.history_since = self.history_since if asked is None else None
        self._asked_at = now
        self.whole = self.whole and not read.unreadable
        return replace(read, items=len(self.events), since=self.since, announced=0)

    async def look_back(self) -> Read:
        """Read the important entries of the past week.

        Raises:
            FetchFailed: it was not read.
        """
        now = self._clock()
        found, read = await self._entries(now - _KEPT, True, _WEEK_PAGES, now)
        self.history_since = now - _KEPT if read.complete else _oldest(found, now)
        self.whole = not read.unreadable
        return replace(read, since=self.history_since, announced=0)

    async def _entries(self, since: float, overview: bool, pages: int, now: float) -> tuple[list[Event], Read]:
        """Entries that were read now. If a page failed, those before it are kept, and the same are read again."""
        arguments = {"since": iso(since), "is_overview": overview}
        found, read = await self._asking.every("ListLogEntries", arguments, "log_entries", reading.event, most=pages)
        self._keep(found, now)
        if read.announced > len(found) and len(read.calls) < pages:
            raise FetchFailed(Trouble(f"{read.announced} announced, {len(found)} came", now))
        if read.trouble is not None:
            raise FetchFailed(read.trouble)
        return found, read

    def _keep(self, new: list[Event], now: float) -> None:
        found = {event.id: event for event in (*self.events, *new)}.values()
        # The service does not promise an order.
        kept = sorted((one for one in found if one.at >= now - _KEPT - HOUR), key=lambda one: (one.at, one.id), reverse=True)
        self.events = tuple(kept[:_MOST])
        if len(kept) > _MOST:
            # Dropped entries no longer count as known.
            reached = self.events[-1].at
            self.since = max(self.since, reached) if self.since is not None else None
            self.history_since = max(self.history_since, reached) if self.history_since is not None else None


def _oldest(events: list[Event], now: float) -> float:
    return min((event.at for event in events), default=now)


def beginnings(events: Iterable[Event]) -> dict[str, float]:
    """When each incident began, by id. Later alerts of the same incident are logged as triggers too."""
    found: dict[str, float] = {}
    for event in events:
        if event.kind == "trigger":
            found[event.incident.id] = min(event.at, found.get(event.incident.id, event.at))
    return found


def last_signs(events: Iterable[Event], kinds: Collection[str]) -> dict[str, float]:
    """When incidents had their last event of some kinds or an unknown one, with no end after it; the newest first."""
    signs: dict[str, float] = {}
    over = set()
    # Of one moment, an end is the last event.
    for event in sorted(events, key=lambda event: (event.at, event.kind == "resolve"), reverse=True):
        id_ = event.incident.id
        if event.kind == "resolve":
            over.add(id_)
        elif id_ and id_ not in over and (event.kind in kinds or event.kind not in KINDS):
            signs.setdefault(id_, event.at)
    return signs
