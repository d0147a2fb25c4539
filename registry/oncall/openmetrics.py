"""The board as OpenMetrics 1.0 text, for a monitoring system. Unknown values have no sample: a missing number is not 0."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from registry.oncall.account import AccountView
from registry.oncall.facts import PANELS
from registry.oncall.model import ACKNOWLEDGED, TRIGGERED
from registry.text.safe_text import shortened, visible_line

CONTENT_TYPE = "application/openmetrics-text; version=1.0.0; charset=utf-8"
_PREFIX = "callboard_oncall_"
_MOST_STATES = 20

Labels = dict[str, str]


@dataclass
class _Family:
    """One metric with its samples."""

    name: str
    unit: str
    about: str
    kind: str = "gauge"
    samples: list[tuple[Labels, float]] = field(default_factory=list)

    def lines(self) -> list[str]:
        """Its lines; empty without a sample."""
        if not self.samples:
            return []
        name = _PREFIX + self.name
        head = [f"# TYPE {name} {self.kind}"]
        head += [f"# UNIT {name} {self.unit}"] if self.unit else []
        head.append(f"# HELP {name} {self.about}")
        return head + [f"{name}{_labels(labels)} {_number(value)}" for labels, value in self.samples]


def openmetrics(views: Sequence[AccountView]) -> str:
    """The metrics of accounts at one moment."""
    code = _Family("exit_code", "", "Exit code of the dashboard: 10 triggered, 3 not reached, 1 unknown, 0 nothing triggered.")
    known = _Family("known", "", "Whether incidents could be loaded, 1 or 0; their numbers are missing when it is 0.")
    complete = _Family("complete", "", "Whether everything was loaded, 1 or 0; numbers are lower bounds when it is 0.")
    failing = _Family("failing", "", "Whether the last refresh failed, 1 or 0.")
    read_age = _Family("read_age_seconds", "seconds", "Time since the last successful refresh.")
    incidents = _Family("incidents", "", "Open incidents by status and urgency.")
    mine = _Family("incidents_mine", "", "Open incidents that are assigned to the token's user, by status.")
    neglected = _Family("incidents_neglected", "", "Neglected open incidents.")
    escalation = _Family("next_escalation_seconds", "seconds", "Seconds until the next open incident escalates.")
    services = _Family("services", "", "Services by state.")
    uncovered = _Family("levels_without_person", "", "Escalation levels with nobody on call now.")
    for view in views:
        board, account = view.board, {"account": view.label}
        code.samples.append((account, view.code))
        for name in PANELS:
            read, part = board.facts.panel(name), {**account, "part": name}
            known.samples.append((part, read.at is not None))
            complete.samples.append((part, read.at is not None and read.complete))
            failing.samples.append((part, read.trouble is not None))
            if read.at is not None:
                read_age.samples.append((part, max(board.now - read.at, 0.0)))
        if board.facts.panel("incidents").at is not None:
            counted = {(status, urgency): 0 for status in (TRIGGERED, ACKNOWLEDGED) for urgency in ("high", "low")}
            for row in board.rows:
                status = ACKNOWLEDGED if row.incident.status == ACKNOWLEDGED else TRIGGERED
                counted[status, "low" if row.incident.urgency == "low" else "high"] += 1
            incidents.samples += [({**account, "status": s, "urgency": u}, count) for (s, u), count in counted.items()]
            neglected.samples.append((account, board.verdict.neglected))
            if board.mine.me is not None:
                unacknowledged = board.verdict.mine_triggered
                mine.samples.append(({**account, "status": TRIGGERED}, unacknowledged))
                mine.samples.append(({**account, "status": ACKNOWLEDGED}, board.verdict.mine - unacknowledged))
            clocks = [row.next.at for row in board.rows if row.next.kind in ("level", "again") and row.next.at is not None]
            if clocks:
                escalation.samples.append((account, max(min(clocks) - board.now, 0.0)))
        if board.facts.panel("services").at is not None:
            states = sorted(board.verdict.states.items())[:_MOST_STATES]
            services.samples += [({**account, "state": shortened(visible_line(s), 40)}, count) for s, count in states]
        if board.facts.panel("on call").at is not None and board.facts.read("policies").at is not None:
            uncovered.samples.append((account, sum(len(on_call.uncovered) for on_call in board.policies)))
    families = (
        code, known, complete, failing, read_age, incidents, mine, neglected, escalation, services, uncovered,
    )  # fmt: skip
    return "\n".join([*_all_lines(families), "# EOF"]) + "\n"


def _all_lines(families: Iterable[_Family]) -> list[str]:
    return [line for family in families for line in family.lines()]


def _labels(labels: Labels) -> str:
    return "{" + ",".join(f'{name}="{_escaped(value)}"' for name, value in labels.items()) + "}"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) else f"{value:.3f}"
