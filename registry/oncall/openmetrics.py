"""The board as OpenMetrics 1.0 text, for a monitoring system. Unknown values have no sample: a missing number is not 0."""

from collections import Counter
from collections.abc import Iterator, Sequence

from registry.oncall.account import AccountView
from registry.oncall.facts import PANELS
from registry.oncall.model import ACKNOWLEDGED, TRIGGERED
from registry.text.safe_text import shortened, visible_line

CONTENT_TYPE = "application/openmetrics-text; version=1.0.0; charset=utf-8"
_PREFIX = "callboard_oncall_"
_MOST_STATES = 20

# What each metric means, in the order of the text.
_GAUGES = {
    "exit_code": "Exit code of the dashboard: 10 triggered, 3 not reached, 1 unknown, 0 nothing triggered.",
    "known": "Whether incidents could be loaded, 1 or 0; their numbers are missing when it is 0.",
    "complete": "Whether everything was loaded, 1 or 0; numbers are lower bounds when it is 0.",
    "failing": "Whether the last refresh failed, 1 or 0.",
    "read_age_seconds": "Time since the last successful refresh.",
    "incidents": "Open incidents by status and urgency.",
    "incidents_mine": "Open incidents that are assigned to the token's user, by status.",
    "incidents_neglected": "Neglected open incidents.",
    "next_escalation_seconds": "Seconds until the next open incident escalates.",
    "services": "Services by state.",
    "levels_without_person": "Escalation levels with nobody on call now.",
}

Sample = tuple[str, float, dict[str, str]]  # the metric's name, its value and its labels


def openmetrics(views: Sequence[AccountView]) -> str:
    """The metrics of accounts at one moment."""
    samples = [(name, value, {"account": view.label, **labels}) for view in views for name, value, labels in _samples(view)]
    lines: list[str] = []
    for gauge, about in _GAUGES.items():
        found = [f"{_PREFIX}{gauge}{_labels(labels)} {_number(value)}" for name, value, labels in samples if name == gauge]
        if found:
            unit = [f"# UNIT {_PREFIX}{gauge} seconds"] if gauge.endswith("_seconds") else []
            lines += [f"# TYPE {_PREFIX}{gauge} gauge", *unit, f"# HELP {_PREFIX}{gauge} {about}", *found]
    return "\n".join([*lines, "# EOF"]) + "\n"


def _samples(view: AccountView) -> Iterator[Sample]:
    board = view.board
    yield "exit_code", view.code, {}
    for name in PANELS:
        read = board.facts.panel(name)
        part: dict[str, str] = {"part": name}
        yield "known", read.at is not None, part
        yield "complete", read.at is not None and read.complete, part
        yield "failing", read.trouble is not None, part
        if read.at is not None:
            yield "read_age_seconds", max(board.now - read.at, 0.0), part
    if board.facts.panel("incidents").at is not None:
        counts = Counter((row.incident.status == ACKNOWLEDGED, row.incident.urgency == "low") for row in board.rows)
        for taken, low in ((False, False), (False, True), (True, False), (True, True)):
            labels = {"status": ACKNOWLEDGED if taken else TRIGGERED, "urgency": "low" if low else "high"}
            yield "incidents", counts[taken, low], labels
        yield "incidents_neglected", board.verdict.neglected, {}
        if board.mine.me is not None:
            yield "incidents_mine", board.verdict.mine_triggered, {"status": TRIGGERED}
            yield "incidents_mine", board.verdict.mine - board.verdict.mine_triggered, {"status": ACKNOWLEDGED}
        clocks = [row.next.at for row in board.rows if row.next.kind in ("level", "again") and row.next.at is not None]
        if clocks:
            yield "next_escalation_seconds", max(min(clocks) - board.now, 0.0), {}
    if board.facts.panel("services").at is not None:
        for state, count in sorted(board.verdict.states.items())[:_MOST_STATES]:
            yield "services", count, {"state": shortened(visible_line(state), 40)}
    if board.facts.panel("on call").at is not None and board.facts.read("policies").at is not None:
        yield "levels_without_person", sum(len(on_call.uncovered) for on_call in board.policies), {}


_ESCAPES = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n"})


def _labels(labels: dict[str, str]) -> str:
    return "{" + ",".join(f'{name}="{value.translate(_ESCAPES)}"' for name, value in labels.items()) + "}"


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) else f"{value:.3f}"
