"""Computes an incident's state from its script, the timeouts of its service and the rules of its policy.

``Course(…).until(t)`` is the incident's state at the moment t with everything that was logged up to then. It may be called
again for later moments, and gives the time of the next event; the number of calls makes no difference.

The rules (documented by the incident service; otherwise what is usual):

- A new incident goes to the first level that reaches somebody; levels that reach nobody are passed over at once.
- While it is triggered with high urgency and nobody acknowledges, it escalates after the level's delay. After the last level
  the policy starts over as often as it says; then the path is exhausted and nobody else is paged.
- Low urgency does not escalate and is notified by email only. Outside support hours urgency is low; it rises when they begin.
- An acknowledgement stops the escalation; when it runs out, or a snooze ends, the incident is triggered again at its level.
- What somebody assigns directly does not escalate. Automatic resolution counts from the start, whatever happens between.
"""

from collections.abc import Mapping
from typing import Any

from registry.sandbox.incidents.query import next_start, within
from registry.sandbox.incidents.rotations import PolicyReach
from registry.sandbox.incidents.scenarios import IncidentScript
from registry.sandbox.store import Body
from registry.sandbox.world import HOUR, MINUTE

TRIGGERED, ACKNOWLEDGED, RESOLVED = "triggered", "acknowledged", "resolved"
BY_POLICY, DIRECTLY = "escalation_policy", "direct_assignment"

_MOST_TRIGGERS, _MOST_ACKNOWLEDGEMENTS = 12, 4
_DETAILS_ONLY = frozenset(
    {"notify", "field_value_change", "custom_field_value_change", "reach_trigger_limit", "reach_ack_limit"}
)
_PENDING = ("escalate", "unacknowledge", "urgency_change", "resolve")
# At the same moment the earlier one happens first.
_ORDER = ("urgency_change", "unacknowledge", "resolve", "step", "escalate", "call")


class Course:
    """One incident on its way.

    Args:
        id_: its id.
        script: what happens to it; people, services and policies by id.
        start: when it begins, in Unix seconds.
        number: its incident number.
        service: the stored service that it belongs to.
        policy_reach: whom the levels of policies reach.
        users: stored users by id.

    Attributes:
        published: how many of its log entries the history has handed on.
    """

    def __init__(
        self,
        id_: str,
        script: IncidentScript,
        start: int,
        number: int,
        service: Body,
        policy_reach: PolicyReach,
        users: Mapping[str, Body],
    ) -> None:
        self.id, self.start = id_, start
        self.published = 0
        self._script = script
        self._number = number
        self._service = service
        self._policy_reach = policy_reach
        self._users = users
        steps = [(start + int(step.minutes * MINUTE), step.what, step.details) for step in script.steps]
        self._steps = sorted(steps, key=lambda step: step[0])
        self._clocks: dict[str, int] = {}
        self._calls: list[tuple[int, str, dict[str, Any]]] = []
        self._log: list[tuple[int, Body]] = []
        self._level = self._loop = self._acknowledgements = 0
        self._now: Body = {
            "number": number,
            "title": script.title,
            "status": TRIGGERED,
            "urgency": "high",
            "service": script.service,
            "team": service["team"],
            "policy": service["policy"],
            "priority": script.priority,
            "via": BY_POLICY,
            "assigned": [],
            "acknowledged": [],
            "changed": (start, self._agent(None)),
            "alerts": script.alerts,
            "responders": [],
            "fields": {},
            "merged": None,
            "text": script.text,
            "bridge": script.bridge,
        }
        rule, hours = service["urgency"], service["hours"]
        self._now["urgency"] = script.urgency if rule == "severity_based" else rule
        if rule == "support_hours":
            self._now["urgency"] = "high" if within(hours, start) else "low"
            if self._now["urgency"] == "low":
                self._clocks["urgency_change"] = next_start(hours, start)
        if service["resolves_after"] is not None:
            self._clocks["resolve"] = start + service["resolves_after"]
        self._note_down(start, "trigger", script.by, script.channel, title=script.title)
        self._now["changed"] = (start, self._agent(script.by))
        self._begin(start, "assign", None)

    def until(self, moment: int) -> tuple[Body, list[tuple[int, Body]]]:
        """The incident at a moment that is not before its start, and its log: moments and bodies, oldest first."""
        while (due := min(self._coming(), default=None)) is not None and due[0] <= moment:
            self._happen(*due)
        pending = [(name, self._clocks[name]) for name in _PENDING if name in self._clocks]
        return {**self._now, "pending": pending, "updated": self._log[-1][0]}, self._log

    @property
    def due(self) -> int | None:
        """When something happens next; None when nothing does any more."""
        return min((at for at, _ in self._coming()), default=None)

    def _coming(self) -> list[tuple[int, int]]:
        """What can happen next: moments, each with its place in `_ORDER`."""
        queues = {"step": self._steps, "call": self._calls}
        first = {name: queue[0][0] for name, queue in queues.items() if queue}
        return [(at, _ORDER.index(name)) for name, at in (self._clocks | first).items()]

    def _happen(self, at: int, kind: int) -> None:
        match _ORDER[kind]:
            case "step":
                self._do(*self._steps.pop(0))
            case "call":
                _, person, contact = self._calls.pop(0)
                undelivered = contact["kind"] == "phone" and (self._number + len(self._log)) % 4 == 0
                status = "failed" if undelivered else "success"
                call = {"type": contact["kind"], "address": contact["address"], "status": status, "user": person}
                self._note_down(at, "notify", None, "auto", call=call)
            case "escalate":
                self._escalate(at)
            case "unacknowledge":
                self._reopen(at, None)
                self._note_down(at, "unacknowledge", None, "timeout")
                self._plan_calls(at)
                self._wind_up(at)
            case "urgency_change":
                del self._clocks["urgency_change"]
                self._set_urgency(at, "high", None)
            case "resolve":
                self._close(at, None, "timeout")

    def _do(self, at: int, what: str, details: dict[str, Any]) -> None:
        """What somebody, or the monitoring system, does: a step of the script."""
        by: str = details.get("by") or (self._now["assigned"][0][1] if self._now["assigned"] else "")
        channel = details.get("channel", "website")
        match what:
            case "acknowledge":
                timeout = self._service["acknowledged_for"]
                self._acknowledgements += 1
                self._take(at, by, None if timeout is None else at + timeout)
                self._note_down(at, "acknowledge", by, channel, acknowledgement_timeout=timeout)
                if self._acknowledgements == _MOST_ACKNOWLEDGEMENTS:
                    self._note_down(at, "reach_ack_limit", None, "auto")
            case "alert":
                self._now["alerts"] += 1
                kinds = [body["type"] for _, body in self._log]
                if kinds.count("trigger") < _MOST_TRIGGERS:
                    self._note_down(at, "trigger", None, self._script.channel, title=self._script.title)
                elif "reach_trigger_limit" not in kinds:
                    self._note_down(at, "reach_trigger_limit", None, "auto")
            case "assign":
                self._reopen(at, by)
                self._now["via"] = DIRECTLY
                self._clocks.pop("escalate", None)
                self._give(at, details["to"])
                self._note_down(at, "assign", by, "website", assignees=details["to"])
            case "delegate":
                self._reopen(at, by)
                self._now |= {"via": BY_POLICY, "policy": details["policy"]}
                self._loop = 0
                self._begin(at, "delegate", by)
            case "field":
                before, self._now["fields"][details["name"]] = self._now["fields"].get(details["name"]), details["value"]
                change = {"field": details["name"], "old_value": before, "new_value": details["value"]}
                self._note_down(at, "custom_field_value_change", by, "website", change=change)
            case "merge":
                self._now["merged"] = details["into"]
                self._close(at, by, "website")
            case "note":
                self._note_down(at, "annotate", by, "note", note=details["text"])
            case "priority":
                change = {"field": "priority", "old_value": self._now["priority"], "new_value": details["to"]}
                self._now["priority"] = details["to"]
                self._note_down(at, "field_value_change", by, "website", change=change)
            case "resolve":
                self._close(at, None if channel == "api" else by, channel)
            case "respond":
                self._now["responders"].append({"at": at, "requester": by, **details})
            case "snooze":
                until = at + details["hours"] * HOUR
                self._take(at, by, until)
                self._note_down(at, "snooze", by, "website", until=until)
            case "urgency":
                self._set_urgency(at, details["to"], by)

    def _escalate(self, at: int) -> None:
        found = self._policy_reach.first_covered(self._now["policy"], self._level + 1, at, self._number)
        if found is None and self._loop < self._policy_reach.policies[self._now["policy"]]["loops"]:
            self._loop += 1
            self._note_down(at, "repeat_escalation_path", None, "timeout")
            found = self._policy_reach.first_covered(self._now["policy"], 0, at, self._number)
        if found is None:
            del self._clocks["escalate"]
            self._note_down(at, "exhaust_escalation_path", None, "timeout")
            return
        self._level, people = found
        self._give(at, people)
        self._note_down(at, "escalate", None, "timeout", assignees=people)
        self._wind_up(at)

    def _set_urgency(self, at: int, to: str, by: str | None) -> None:
        if self._now["urgency"] == to:
            return
        self._now["urgency"] = to
        self._note_down(at, "urgency_change", by, "website" if by else "auto", urgency=to)
        if self._now["status"] == TRIGGERED:
            self._plan_calls(at)
            self._wind_up(at)

    def _begin(self, at: int, entry: str, by: str | None) -> None:
        """Give it to the first level of its policy that reaches anybody."""
        found = self._policy_reach.first_covered(self._now["policy"], 0, at, self._number)
        if found is None:
            raise ValueError(f"{self._script.key}: nobody is on call on any level")
        self._level, people = found
        self._give(at, people)
        self._note_down(at, entry, by, "website" if by else "auto", assignees=people)
        self._wind_up(at)

    def _give(self, at: int, people: list[str]) -> None:
        self._now["assigned"] = [(at, person) for person in people]
        self._plan_calls(at)

    def _plan_calls(self, at: int) -> None:
        """Notify all assignees in the ways that they chose for this urgency, until somebody acknowledges."""
        calls = [
            (at + rule["delay"] * MINUTE, person, contact)
            for _, person in self._now["assigned"]
            for rule in self._users[person]["rules"]
            for contact in self._users[person]["contacts"]
            if rule["urgency"] == self._now["urgency"] and contact["id"] == rule["contact"]
        ]
        self._calls = sorted(calls, key=lambda call: call[0])

    def _wind_up(self, at: int) -> None:
        """Start the escalation clock of the current level, if it has one."""
        self._clocks.pop("escalate", None)
        if self._now["via"] == BY_POLICY and self._now["urgency"] == "high":
            self._clocks["escalate"] = at + self._policy_reach.levels(self._now["policy"])[self._level]["minutes"] * MINUTE

    def _take(self, at: int, by: str, until: int | None) -> None:
        others = [one for one in self._now["acknowledged"] if one[1] != by]
        self._now |= {"status": ACKNOWLEDGED, "changed": (at, self._agent(by)), "acknowledged": [*others, (at, by)]}
        self._calls = []
        self._clocks.pop("escalate", None)
        self._clocks.pop("unacknowledge", None)
        if until is not None:
            self._clocks["unacknowledge"] = until

    def _reopen(self, at: int, by: str | None) -> None:
        if self._now["status"] == ACKNOWLEDGED:
            self._now["status"], self._now["changed"] = TRIGGERED, (at, self._agent(by))
        self._now["acknowledged"] = []
        self._clocks.pop("unacknowledge", None)

    def _close(self, at: int, by: str | None, channel: str) -> None:
        self._now |= {"status": RESOLVED, "changed": (at, self._agent(by)), "assigned": [], "acknowledged": []}
        self._calls = []
        self._clocks.clear()
        self._note_down(at, "resolve", by, channel)

    def _agent(self, by: str | None) -> tuple[str, str]:
        return ("service", self._script.service) if by is None else ("user", by)

    def _note_down(self, at: int, kind: str, by: str | None, channel: str, **details: Any) -> None:
        head = {"type": kind, "agent": self._agent(by), "channel": {"type": channel}, "overview": kind not in _DETAILS_ONLY}
        self._log.append((at, {**head, **details}))
