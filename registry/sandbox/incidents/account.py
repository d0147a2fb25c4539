"""The incident service's account: all its objects, built when they are first needed, kept in one store.

People, policies, schedules and services stay as they are while a scenario runs; incidents and their log go on with the
world's clock. A request reads the account inside `at_present`, where it does not change.

The scripts of incidents name people, services and policies by keys and times by distance; here they become ids and moments.
Ids and numbers come from the scripts alone, so that the history is the same whenever and however often it is read.

Rotations are laid out around the present moment, so that a responder who opens the sandbox at any hour finds the same
situation: Sam Ode is on call for payments, the help desk has an override until a few hours from now, the platform is
handed on three times a day, and next week three of its evening shifts are covered by nobody.
"""

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, time, timedelta
from heapq import merge
from typing import Any

from msgspec import structs

from registry.sandbox.clock import RunningScenario, ScenarioState
from registry.sandbox.incidents import identifier
from registry.sandbox.incidents.course import Course
from registry.sandbox.incidents.query import Refusal, zone
from registry.sandbox.incidents.rotations import PolicyReach, Rotation
from registry.sandbox.incidents.scenarios import BY_NAME, WRITTEN, IncidentScript, Override, Step, coming, past
from registry.sandbox.store import Body, Rows, Store, StoredRow
from registry.sandbox.world import DAY, DOMAIN, HOUR, PEOPLE, TEAMS, Person, World, roughened

FIRST_NUMBER = 4001


def log_entry_id(incident: str, place: int) -> str:
    """The id of an incident's log entry; places count from 0, and 0 is the first trigger."""
    return f"R{incident[1:11]}{place:03X}"


_KINDS = {"by": "user", "to": "user", "policy": "escalation_policy", "into": "incident"}


def _with_ids(world: World, script: IncidentScript) -> IncidentScript:
    """The script with ids instead of keys, and its title as in this world."""

    def spelt(what: str, name: str, value: Any) -> Any:
        if name not in _KINDS or (name == "to" and what in ("urgency", "priority")):
            return value
        if isinstance(value, list):
            return [identifier(world, _KINDS[name], key) for key in value]
        return identifier(world, _KINDS[name], value)

    return structs.replace(
        script,
        title=roughened(world, script.title),
        service=identifier(world, "service", script.service),
        by=script.by and identifier(world, "user", script.by),
        steps=[
            Step(step.minutes, step.what, {name: spelt(step.what, name, value) for name, value in step.details.items()})
            for step in script.steps
        ],
    )


SIGNED_IN = "sam.ode"
EVERYONE = (
    *PEOPLE,
    Person("siobhan.obrien", "Siobhán", "O'Brien", "Communications lead", "Europe/Dublin", ()),
    Person("rafael.costa", "Rafael", "Costa", "Board member", "America/Sao_Paulo", ()),
    Person("yusuf.demir", "Yusuf", "Demir", "Auditor", "Europe/Istanbul", ("finance",)),
    Person("li.jing", "静", "李", "Contract developer", "Asia/Shanghai", ("web",)),
)
_BEFORE = timedelta(days=420)  # a whole number of rounds for up to seven people, daily and weekly


def _teams(world: World) -> dict[str, Body]:
    """All teams. `members` are pairs of user id and role in the team."""

    def role(person: Person, team: str) -> str:
        if person.key in WRITTEN["leads"] and team == person.teams[0]:
            return "manager"
        return "observer" if person.key in ("zoe.martin", "yusuf.demir") else "responder"

    return {
        key: {
            "name": name,
            "description": WRITTEN["about_teams"].get(key),
            "default_role": "none" if key == "finance" else "manager",
            "members": [(identifier(world, "user", one.key), role(one, key)) for one in EVERYONE if key in one.teams],
        }
        for key, name in {**TEAMS, "mobile": "Mobile"}.items()
    }


def _policies(world: World) -> dict[str, Body]:
    """All escalation policies. A rule holds `id`, `minutes`, `targets` (kind and id) and `strategy`."""
    bodies = {}
    for key, policy in WRITTEN["policies"].items():
        rules = [
            {
                **rule,
                "id": identifier(world, "level", f"{key}/{number}"),
                "targets": [
                    (kind, identifier(world, kind, name))
                    for kind, _, name in (one.partition(":") for one in rule["targets"].split())
                ],
            }
            for number, rule in enumerate(policy["rules"])
        ]
        bodies[key] = {**policy, "team": policy["team"] and identifier(world, "team", policy["team"]), "rules": rules}
    return bodies


def _services(world: World) -> dict[str, Body]:
    return {
        key: {
            **service,
            "policy": identifier(world, "escalation_policy", service["policy"]),
            "team": team and identifier(world, "team", team),
            "integration": identifier(world, "integration", key),
        }
        for key, service in WRITTEN["services"].items()
        for team in [WRITTEN["policies"][service["policy"]]["team"]]
    }


def _schedules(world: World, overrides: Sequence[Override], began: int) -> dict[str, Body]:
    """All schedules; a body is what `rotations.Rotation` is read from.

    Args:
        world: rotations are laid out around the moment at which it was made.
        overrides: who takes over for a while in the scenario that runs.
        began: when that began, in Unix seconds.
    """
    bodies = {key: _schedule(world, key, schedule) for key, schedule in WRITTEN["schedules"].items()}
    today = datetime.fromtimestamp(world.now, UTC).replace(hour=0, minute=0, second=0, tzinfo=None)
    platform, (retired,) = bodies["platform"]["layers"], bodies["web-weekend"]["layers"]
    platform[2]["end"] = (today + timedelta(days=5)).isoformat()
    platform[3]["start"] = (today + timedelta(days=8, hours=14)).isoformat()
    retired["end"] = (datetime.fromisoformat(retired["start"]) + _BEFORE - timedelta(days=103)).isoformat()
    handoff = datetime.fromisoformat(bodies["payments-primary"]["layers"][0]["start"]) + _BEFORE
    two_days_on = int((handoff + timedelta(days=2)).replace(tzinfo=zone("Europe/Berlin")).timestamp())
    hour = world.now - world.now % HOUR
    taken_over = [
        Override("payments-primary", "mei.tan", two_days_on, 10 * HOUR),
        Override("support", "hana.kim", hour - 2 * HOUR, 6 * HOUR),
        *(one._replace(begins=began + one.begins) for one in overrides),
    ]
    for one in taken_over:
        override = [identifier(world, "user", one.person), one.begins, one.begins + one.lasts]
        bodies[one.schedule]["overrides"].append(override)
    return bodies


def _schedule(world: World, key: str, schedule: Body) -> Body:
    """A schedule whose layers' first people have the turns that run at present."""
    layers = [
        {
            **layer,
            "id": identifier(world, "layer", f"{key}/{number}"),
            "start": (_turn(world, schedule["time_zone"], layer) - _BEFORE).isoformat(),
            "end": None,
            "people": [identifier(world, "user", person) for person in layer["people"]],
        }
        for number, layer in enumerate(schedule["layers"])
    ]
    return {**schedule, "layers": layers, "overrides": [], "teams": [identifier(world, "team", schedule["team"])]}


def _turn(world: World, where: str, layer: Body) -> datetime:
    """The latest local time, not after now, that is at the layer's clock time and weekday."""
    now = datetime.fromtimestamp(world.now, zone(where)).replace(tzinfo=None)
    found = datetime.combine(now.date(), time.fromisoformat(layer["clock"]))
    if found > now:
        found -= timedelta(days=1)
    return found if layer["weekday"] is None else found - timedelta(days=(found.weekday() - layer["weekday"]) % 7)


def _user(world: World, person: Person) -> Body:
    reach = WRITTEN["reached"][person.key]
    invited = person.key == "li.jing"
    contacts: list[dict[str, Any]] = [{"kind": "email", "label": "Work", "address": person.email}]
    if person.key == "hana.kim":
        contacts.append({"kind": "email", "label": "Old address", "address": f"h.kim@{DOMAIN}", "blacklisted": True})
    if reach["phone"]:
        number = {"address": reach["phone"], "country_code": reach["country"]}
        device = {
            "address": world.hexadecimal(f"incidents/device/{person.key}", 32),
            "device_type": "ios" if len(person.key) % 2 else "android",
        }
        contacts += [
            {"kind": "phone", "label": "Mobile", **number},
            {"kind": "sms", "label": "Mobile", **number},
            {"kind": "push_notification", "label": "Phone", **device},
            *([{"kind": "whatsapp", "label": "Messages", **number}] if person.key == "diego.ruiz" else ()),
        ]
    contacts = [one | {"id": identifier(world, "contact", f"{person.key}/{place}")} for place, one in enumerate(contacts)]
    by_kind = {contact["kind"]: contact["id"] for contact in reversed(contacts)}
    steps = [(urgency, *step) for urgency, steps in WRITTEN["ways"][reach["way"]].items() for step in steps]
    return {
        "name": person.name,
        "email": person.email,
        "time_zone": None if invited else person.zone,
        "color": reach["color"],
        "avatar_url": f"https://pictures.{DOMAIN}/{person.key}.png",
        "role": reach["role"],
        "description": "Asks to be called, not mailed, after 22:00" if person.key == "dana.wu" else None,
        "invitation_sent": invited,
        "job_title": person.title,
        "teams": [identifier(world, "team", key) for key in person.teams],
        "contacts": contacts,
        "rules": [
            {
                "id": identifier(world, "rule", f"{person.key}/{number}"),
                "urgency": urgency,
                "delay": delay,
                "contact": by_kind[kind],
            }
            for number, (urgency, delay, kind) in enumerate(steps)
        ],
    }


_NAMED = ("user", "team", "escalation_policy", "service", "schedule")


class Account:
    """Reads the account. Safe to use from several threads, each inside `at_present`.

    `names` are what objects are called where others refer to them, by kind and id; `rotations` say who is on call, by schedule.
    """

    def __init__(self, world: World, scenario_state: ScenarioState) -> None:
        self.signed_in = identifier(world, "user", SIGNED_IN)
        self.now = world.present
        self.world, self._scenario_state = world, scenario_state
        self._lock = threading.RLock()
        self._running: RunningScenario | None = None
        self.names: dict[tuple[str, str], str] = {}
        self.rotations: dict[str, Rotation] = {}

    @contextmanager
    def at_present(self) -> Iterator[None]:
        """Advance the account to the present moment, `now` (Unix seconds), and keep it there inside."""
        with self._lock:
            self.now = self.world.present
            if self._running != self._scenario_state.current:
                self._build(self._scenario_state.current)
            if self._due <= self.now:
                self._go_on()
            yield

    @property
    def failing(self) -> int | None:
        """The HTTP status of every response at the moment; None while the service works."""
        after = self._after % self._scenario.failures_repeat
        return next((int(one.of) for one in self._scenario.failures if one.goes_on(after)), None)

    def in_maintenance(self, service: str) -> bool:
        """Whether a service, by its id, is in one of the scenario's maintenance windows."""
        windows = self._scenario.maintenance
        return any(identifier(self.world, "service", str(one.of)) == service and one.goes_on(self._after) for one in windows)

    @property
    def _after(self) -> int:
        return self.now - (self._running.began if self._running else 0)

    def key_of_alert(self, incident: str) -> str:
        """A monitoring system's name for the alert that caused an incident."""
        return self.world.hexadecimal(f"incidents/alert/{incident}", 32)

    def get(self, kind: str, id_: str) -> StoredRow:
        """The object of that kind and id; an incident also by its number, in digits.

        Raises:
            Refusal: 404, there is none.
        """
        if kind == "incident" and id_.isascii() and id_.isdecimal() and len(id_) < 10:
            found = next(iter(self.store.every("incident", {"number": int(id_)})), None)
        else:
            found = self.store.get(kind, id_)
        if found is None:
            raise Refusal(404)
        return found

    def every(self, kind: str) -> list[StoredRow]:
        """All objects of a kind: incidents by their start, what has a name by its name."""
        found = self.store.every(kind, oldest_first=True)
        if kind in _NAMED:
            found.sort(key=lambda row: (row.body["name"].casefold(), row.id))
        return found

    def _build(self, running: RunningScenario) -> None:
        world = self.world
        self._scenario = BY_NAME[running.scenario](world)
        self.store = Store({})
        self.names.clear()
        # Objects of a kind were made so many days apart from each other, the first one so many days ago.
        made: dict[str, tuple[int, int, Mapping[str, Body]]] = {
            "user": (
                900,
                20,
                {one.key: _user(world, one) | {"created_via_sso": place < 10} for place, one in enumerate(EVERYONE)},
            ),
            "team": (880, 30, _teams(world)),
            "escalation_policy": (790, 20, _policies(world)),
            "service": (780, 20, _services(world)),
            "schedule": (800, 20, _schedules(world, self._scenario.overrides, running.began)),
        }
        bodies: dict[str, Mapping[str, Body]] = {}
        for kind, (oldest, apart, by_key) in made.items():
            new = [
                (identifier(world, kind, key), world.now - (oldest - apart * place) * DAY, body)
                for place, (key, body) in enumerate(by_key.items())
            ]
            self.store.add(kind, new)
            bodies[kind] = {id_: body for id_, _, body in new}
            self.names.update({(kind, id_): body["name"] for id_, _, body in new})
        self.rotations = {id_: Rotation.read(body) for id_, body in bodies["schedule"].items()}
        self._policy_reach = PolicyReach(bodies["escalation_policy"], self.rotations)
        self._services, self._users = bodies["service"], bodies["user"]
        # All scripts with their beginnings, in that order, without end.
        written = [(world.now - script.age, script) for script in past(world)]
        written += [(running.began - script.age, script) for script in self._scenario.scripts]
        written.sort(key=lambda one: one[0])
        flow = ((running.began - script.age, script) for script in coming(world, self._scenario))
        self._scripts = merge(written, flow, key=lambda one: one[0])
        self._next = next(self._scripts)
        self._due = self._next[0]
        self._number = FIRST_NUMBER
        self._open: list[Course] = []
        self._running = running

    def _go_on(self) -> None:
        """Write down what has happened since the last time, each event once. `_due` is the moment of the next one."""
        incidents, log_entries = Rows(), Rows()
        while self._next[0] <= self.now:
            start, script = self._next
            ours = _with_ids(self.world, script)
            id_, service = identifier(self.world, "incident", script.key), self._services[ours.service]
            self._open.append(Course(id_, ours, start, self._number, service, self._policy_reach, self._users))
            self._number += 1
            self._next = next(self._scripts)
        for course in self._open:
            if course.published and (course.due or self.now + 1) > self.now:
                continue
            incident, entries = course.until(self.now)
            incidents.append((course.id, course.start, incident))
            owner = {"incident": course.id, "service": incident["service"], "team": incident["team"]}
            log_entries += [
                (log_entry_id(course.id, place), when, {**owner, **entry})
                for place, (when, entry) in enumerate(entries[course.published :], start=course.published)
            ]
            course.published = len(entries)
        self._open = [course for course in self._open if course.due is not None]
        self._due = min([self._next[0], *(course.due for course in self._open if course.due is not None)])
        log_entries.sort(key=lambda row: row[1])
        new = [row for row in incidents if ("incident", row[0]) not in self.names]
        with self.store.changes():
            for id_, _, body in incidents:
                if ("incident", id_) in self.names:
                    self.store.replace("incident", id_, body)
            self.store.add("incident", new)
            self.store.add("log_entry", log_entries)
        self.names.update({("incident", id_): f"[#{body['number']}] {body['title']}" for id_, _, body in new})
