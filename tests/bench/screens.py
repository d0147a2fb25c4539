"""The explorer's start and the echoes of its ask line, the dashboard's, × bare Textual in the same round; screens at rest."""

import statistics

from tests.bench.table import Row
from tests.bench.terminal_times import BARE, EXPLORER, INPUT, Running, measure, variant
from tests.terminal import ROOT

READY = b"Watch how it is used"  # the end of home: it is on screen when all panes are there
POSTING = ROOT / ".venv" / "bench" / "bin" / "posting"  # the peer, in an environment of its own: requirements/bench.txt
_KEYS, _SECONDS = "custcards", 20.0
_QUIET, _NIGHT, _STORM = (variant("incidents", count) for count in (0, 300, 5_000))


def start_rows(rounds: int) -> list[Row]:
    """First frames, all panes, home, keys; with 241 tools and with 10 000."""
    first = Row("first frame with all tools, × a bare Textual app", "≤ 1.5", "Posting")
    still = Row("all panes still, × a bare Textual app", "≤ 2.2", "Posting")
    home = Row("home: from the first frame to its last line, × a bare Textual app's start", "≤ 1")
    many = Row("first frame with 10 000 tools, × with 241", "≤ 1.2")
    echo = Row("key → echo in the ask line, × a bare Input", "≤ 1.5", "Posting")
    echo_many = Row("the same with 10 000 tools", "≤ 2")
    for _ in range(rounds):
        bare, line = measure(BARE, b"Callboard"), measure(INPUT, b"allboard", keys=_KEYS)
        ours, large = (measure(one, b"Payments", READY, _KEYS) for one in (EXPLORER, variant("tools", 10_000)))
        floor = statistics.median(line.echoes)
        first.ratios.append(ours.first_frame / bare.first_frame)
        still.ratios.append(ours.still / bare.still)
        home.ratios.append((ours.last - ours.first_frame) / bare.first_frame)
        many.ratios.append(large.first_frame / ours.first_frame)
        echo.ratios.append(statistics.median(ours.echoes) / floor)
        echo_many.ratios.append(statistics.median(large.echoes) / floor)
        if POSTING.exists():
            peer = measure([str(POSTING)], b"Collection", keys=_KEYS)
            first.peers.append(peer.first_frame / bare.first_frame)
            still.peers.append(peer.still / bare.still)
            echo.peers.append(statistics.median(peer.echoes) / floor)
    return [first, still, home, many, echo, echo_many]


def oncall_rows(rounds: int) -> list[Row]:
    """The dashboard: its first rows, × a bare Textual app, and keys in a storm, × a quiet night."""
    first = Row("on call, first rows, × a bare Textual app", "≤ 2.0")
    still = Row("on call, all panels still, × a bare Textual app", "≤ 4")
    keys = Row("on call, key → paint with 5 000 open incidents, while they are still being read, × a quiet night", "≤ 1.5")
    for _ in range(rounds):
        bare = measure(BARE, b"Callboard")
        quiet, storm = (measure(one, b"triggered", b"live", "jk" * 6) for one in (_QUIET, _STORM))
        first.ratios.append(quiet.first_frame / bare.first_frame)
        still.ratios.append(quiet.still / bare.still)
        keys.ratios.append(statistics.median(storm.echoes) / statistics.median(quiet.echoes))
    return [first, still, keys]


def rest_rows(rounds: int) -> list[Row]:
    """The CPU use of idle screens for 20 seconds, with the sandbox in the same process; needs ``/proc``."""
    rows = []
    for command, mark, what, goal in (
        (EXPLORER, READY, "CPU at rest, percent of one core: explorer", "≤ 0.5"),
        (_QUIET, b"live", "the same: dashboard, a quiet night", "≤ 2"),
        (_NIGHT, b"live", "the same: dashboard, 300 open incidents", "≤ 4"),
    ):
        rows.append(Row(what, goal))
        for _ in range(min(rounds, 2)):
            with Running(command) as running:
                running.until(mark)
                running.until_still()
                running.rest(2)
                before = running.cpu()
                running.rest(_SECONDS)
                rows[-1].ratios.append(100 * (running.cpu() - before) / _SECONDS)
    return rows
