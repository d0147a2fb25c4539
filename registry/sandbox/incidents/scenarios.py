"""The scenarios that the incident service can run, the resolved incidents of the past year, and the alerts that come up.

The usual scenario, the busy night, has at its beginning one incident of each kind that a screen must distinguish:
unacknowledged for minutes, escalated to the second level, through its whole policy, acknowledged and running out, acknowledged
and forgotten, snoozed, assigned by hand and never escalating, waiting for office hours; with and without priority, of high and
low urgency. Within the first hour everything happens once that a screen must follow: an alert that nobody answers and that
escalates, an acknowledgement that runs out, a recovery by itself, a handoff, a maintenance window.

All times of a scenario are seconds after its beginning.
"""

import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import msgspec

from registry.sandbox.world import DAY, HOUR, MINUTE, World, data_file, roughened

ROUND_ROBIN = "round_robin"


class Step(msgspec.Struct, frozen=True, array_like=True):
    """What somebody does to an incident, so many minutes after its start."""

    minutes: float
    what: str
    details: dict[str, Any] = {}


class IncidentScript(msgspec.Struct, frozen=True, kw_only=True):
    """What happens to an incident: causes only; their consequences are worked out by `course`.

    `age` is how many seconds before the present moment it starts. `by` None is the monitoring system. `urgency` counts where
    the service leaves it to the severity. A step's `by` is the first assignee, and its `channel` the website, unless it says
    otherwise. The steps and their details::

        acknowledge  somebody takes it
        alert        one more alert arrives
        assign       it is given to people directly (to); escalation ends
        delegate     it is handed to another policy
        field        somebody fills in a field that the account has added to incidents: name, value
        merge        it is part of another incident (into)
        note         somebody writes something down: text
        priority     somebody sets the priority: to
        resolve      somebody says that it is over; with channel api, the monitoring system does
        respond      somebody (to) is asked to help: message, state (pending, joined, declined or user_cancelled)
        snooze       somebody lets it rest: hours
        urgency      somebody changes the urgency: to
    """

    key: str
    service: str
    title: str
    age: int
    steps: list[Step] = []
    urgency: str = "high"
    priority: str | None = None
    channel: str = "api"
    by: str | None = None
    alerts: int = 1
    text: str | None = None
    bridge: bool = False


WRITTEN = data_file(__file__, "data")
"""What is written down of the account and its incidents: `data.json`. Everything in it goes by keys.

`channels` and `summaries` are the words of the log. Objects of the account are as the store has them, but for ids.
`reached` says how somebody is reached; `way` there names one of `ways`, which are, by urgency, minutes after an assignment
and the kind of contact method. Targets of a policy's rule are ``schedule:<key>`` and ``user:<key>``, separated by blanks. A
service's times are in seconds; its `urgency` is high, low, severity_based or support_hours; its `state` disabled or
maintenance, otherwise it follows from the open incidents; its `hours` are a zone, start and end, on workdays, and no two
services' overlap, so that at any moment one is closed. In a layer of a schedule everybody is in turn for so many days, from
a local time of a weekday (Monday is 0) on; see `rotations.Opening`. `alerts` are services and titles, the newest first;
`told` are those of the past year whose course is written down.
"""


def _script(*, steps: Sequence[Sequence[Any]] = (), **said: Any) -> IncidentScript:
    return IncidentScript(**said, steps=[Step(*step) for step in steps])


_TOLD, _BUSY, _QUIET = ([_script(**one) for one in WRITTEN[name]] for name in ("told", "busy_night", "quiet"))


class Override(NamedTuple):
    """A temporary change of who is on call on a schedule, by keys."""

    schedule: str
    person: str
    begins: int
    lasts: int


class Spell(NamedTuple):
    """Something that goes on for a while: maintenance of a service (its key), or responses with an HTTP status."""

    of: str | int
    begins: int
    lasts: int

    def goes_on(self, after: int) -> bool:
        """Whether it goes on so many seconds after the scenario's beginning."""
        return self.begins <= after < self.begins + self.lasts


class Scenario(NamedTuple):
    """What is written down of a scenario, and how often something new comes up on its own, in seconds on average."""

    scripts: list[IncidentScript]
    pause: int
    low: float = 0.3  # share of what comes up that is of low urgency, where the service leaves that open
    overrides: tuple[Override, ...] = ()
    maintenance: tuple[Spell, ...] = ()  # the services take no new incidents
    failures: tuple[Spell, ...] = ()  # every response of the incident service has this status
    failures_repeat: int = 1  # seconds after which the failures start over


_BUSY_NIGHT = Scenario(
    _BUSY,
    pause=7 * MINUTE,
    overrides=(Override("payments-secondary", "mei.tan", 12 * MINUTE, 2 * HOUR),),
    maintenance=(Spell("pricing", 20 * MINUTE, 30 * MINUTE),),
)
_FAILURES = (Spell(500, MINUTE, 2 * MINUTE), Spell(429, 6 * MINUTE, MINUTE))


def _storm(world: World) -> Scenario:
    """Three hundred incidents within half an hour: something that everything depends on is failing, and slows down."""
    dice = world.dice("incidents/storm")
    ages = sorted((int(dice.triangular(0, 29 * MINUTE, 26 * MINUTE)) for _ in range(299)), reverse=True)
    scripts = [
        _script(**WRITTEN["storm"]),
        *(_of_storm(world, dice, number, age) for number, age in enumerate(ages, start=1)),
    ]
    return Scenario(scripts, pause=MINUTE, low=0.1)


def _of_storm(world: World, dice: random.Random, number: int, age: int) -> IncidentScript:
    service, title = _any_alert(dice)
    title = (
        f"{roughened(world, title).split(' (')[0]} [{dice.choice(('fra1', 'ams1', 'sin1', 'iad1'))}-{dice.randrange(40):02}]"
    )
    steps = [Step(1 + 2 * place, "alert") for place in range(dice.choice((0, 0, 1, 3)))]
    match dice.choice(("open", "open", "open", "taken", "over")):
        case "taken":
            steps.append(Step(dice.randint(2, 12), "acknowledge"))
        case "over":
            steps.append(Step(dice.randint(8, 20), "resolve", {"channel": "api"}))
    priority = dice.choice((None, "P2", "P3"))
    alerts = dice.choice((1, 2, 5))
    key = f"storm-{number}"
    return IncidentScript(key=key, service=service, title=title, age=age, steps=steps, priority=priority, alerts=alerts)


BY_NAME: dict[str, Callable[[World], Scenario]] = {
    "quiet": lambda _: Scenario(_QUIET, pause=90 * MINUTE, low=0.8),
    "busy-night": lambda _: _BUSY_NIGHT,
    "storm": _storm,
    "outage": lambda _: _BUSY_NIGHT._replace(failures=_FAILURES, failures_repeat=10 * MINUTE),
}
"""By the names of `registry.sandbox.clock.SCENARIOS`."""


def coming(world: World, scenario: Scenario) -> Iterator[IncidentScript]:
    """What comes up on its own while a scenario runs, without end, in the order of beginnings; all after the scenario's own."""
    dice = world.dice("incidents/flow")
    after, number = 30.0, 0
    while True:
        after += dice.expovariate(1 / scenario.pause)
        number += 1
        service, title = _any_alert(dice)
        script = _handled(dice, f"flow-{number}", service, title, -int(after), scenario.low)
        if not any(one.of == service and one.goes_on(int(after)) for one in scenario.maintenance):
            yield script


def past(world: World) -> list[IncidentScript]:
    """Everything that is over, newest first. The alerts are written down; when each came and how it went is up to the dice."""
    dice = world.dice("incidents/past")
    newest, oldest = 2.2 * HOUR, 355 * DAY
    growth = (oldest / newest) ** (1 / (len(WRITTEN["alerts"]) - 1))
    told = {script.key: script for script in _TOLD}
    found = []
    for place, (service, title) in enumerate(WRITTEN["alerts"]):
        age = int(newest * growth**place * dice.uniform(0.97, 1.03))
        key = f"past-{place}"
        if key in told:
            found.append(msgspec.structs.replace(told[key], age=age))
        else:
            found.append(_handled(dice, key, service, title, age, low=1 / 3))
    return found


def _any_alert(dice: random.Random) -> tuple[str, str]:
    """One of the alerts, as service and title, that may come again at any time."""
    alerts: list[tuple[str, str]] = WRITTEN["alerts"]
    return dice.choice([alert for alert in alerts if alert[0] not in ("legacy-importer", "image-resizer")])


_OUTCOMES = ("quick", "quick", "quick", "alone", "alone", "slow", "runs out", "left", "snoozed", "by hand", "calmed")


def _handled(dice: random.Random, key: str, service: str, title: str, age: int, low: float) -> IncidentScript:
    """An alert with a random response. `low`: the probability of low urgency."""
    steps = _outcome(dice, dice.choice(_OUTCOMES))
    if dice.random() < 0.35:
        minutes = 1 + dice.randrange(3)
        steps.append(Step(minutes, "priority", {"to": dice.choice(("P2", "P3", "P4", "P5"))}))
    return IncidentScript(
        key=key,
        service=service,
        title=title,
        age=age,
        steps=steps,
        urgency="low" if dice.random() < low else "high",
        priority=dice.choice((None, None, "P2", "P3", "P4")),
        channel=dice.choice(("api", "api", "api", "email", "nagios", "auto")),
        alerts=dice.choice((1, 1, 1, 2, 3, 8)),
    )


def _outcome(dice: random.Random, outcome: str) -> list[Step]:
    minute = dice.randint(3, 9)
    taken, found = Step(minute, "acknowledge"), Step(minute + 6, "note", {"text": dice.choice(WRITTEN["findings"])})
    match outcome:
        case "alone":
            return [Step(dice.randint(4, 11), "resolve", {"channel": "api"})]
        case "slow":
            late = dice.randint(18, 40)
            found = Step(late + 5, "note", {"text": dice.choice(WRITTEN["findings"])})
            return [Step(late, "acknowledge", {"channel": "sms"}), found, Step(late + 22, "resolve")]
        case "runs out":
            return [taken, found, Step(minute + 44, "acknowledge"), Step(minute + 61, "resolve")]
        case "left":
            return [Step(118, "resolve")]
        case "snoozed":
            return [taken, Step(minute + 3, "snooze", {"hours": 1}), Step(minute + 80, "resolve")]
        case "by hand":
            by = {"by": "ivo.petrov"}
            given = Step(minute, "assign", {"to": ["ivo.petrov"]})
            return [given, Step(minute + 10, "acknowledge", by), Step(minute + 75, "resolve", by)]
        case "calmed":
            calmed = Step(minute + 1, "urgency", {"to": "low"})
            return [taken, calmed, Step(minute + 2, "field", {"name": "Region", "value": "fra1"}), Step(100, "resolve")]
    taken = Step(minute, "acknowledge", {"channel": dice.choice(("website", "sms"))})
    return [taken, found, Step(minute + dice.randint(9, 25), "resolve")]
