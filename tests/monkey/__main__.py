"""``make monkey SECONDS=300 SEED=1``: random keys on the sandbox in a real terminal, until time is up or it finds a failure.

It is a failure when the program ends without its quit command, when its screen stops reacting, or when there is a crash
report. Then the last actions, the screen and the report are printed, and the exit code is 1. The same seed gives the same
actions.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections import deque
from pathlib import Path

from tests.monkey.actions import actions, starts
from tests.monkey.hand import Ended, Frozen, Hand
from tests.monkey.household import Agent, furnish
from tests.monkey.visits import Action
from tui.walks.program import FAILED

_LAST, _EVERY = 150, 40


def main() -> int:
    """Play and print the outcome."""
    parser = argparse.ArgumentParser(prog="make monkey")
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10_000))
    parser.add_argument("--actions", type=int, default=0, help="stop after so many; 0 for no such end")
    options = parser.parse_args()
    sys.stdout.write(f"seed {options.seed}, {options.seconds:g} s\n")
    with tempfile.TemporaryDirectory(prefix="callboard-monkey-", ignore_cleanup_errors=True) as folder:
        furnish(Path(folder))
        with Agent(Path(folder)) as agent:
            return _play(Path(folder), agent, options.seed, options.seconds, options.actions)


def _play(home: Path, agent: Agent, seed: int, seconds: float, most: int) -> int:
    row, begun, last, done, runs = actions(seed), starts(seed), deque[Action | str](maxlen=_LAST), 0, 0
    end = time.monotonic() + seconds
    while time.monotonic() < end and (not most or done < most):
        runs += 1
        words = next(begun)
        last.append(" ".join(("callboard", *words)))
        with Hand(home, (sys.executable, "-m", "tui", *words)) as hand:
            try:
                hand.answers()
                while time.monotonic() < end and (not most or done < most):
                    action = next(row)
                    last.append(action)
                    done += 1
                    if action.kind == "agent":
                        agent.asks(float(action.words))
                    hand.do(action)
                    if done % _EVERY == 0:
                        hand.answers()
                        if reports := list(home.rglob("crashes/*")):
                            return _tell("a crash report", seed, done, last, hand, reports)
                hand.answers()
            except Frozen:
                return _tell("the screen timed out", seed, done, last, hand, list(home.rglob("crashes/*")))
            except Ended:
                try:
                    code, reports = hand.exit_code(), list(home.rglob("crashes/*"))
                except Frozen:
                    return _tell("it does not end", seed, done, last, hand, list(home.rglob("crashes/*")))
                stopped = words[0] == "demo" and code == FAILED  # a walk that the monkey disturbed ends with this code
                if (code and not stopped) or reports:
                    return _tell(f"it ended with {code}", seed, done, last, hand, reports)
        if reports := list(home.rglob("crashes/*")):
            return _tell("a crash report", seed, done, last, hand, reports)
    sys.stdout.write(f"seed {seed}: {done:,} actions, {runs} starts, nothing wrong\n")
    return 0


def _tell(what: str, seed: int, done: int, last: deque[Action | str], hand: Hand, reports: list[Path]) -> int:
    lines = [f"seed {seed}, action {done:,}: {what}", "", "the last actions:", *(f"  {action}" for action in last)]
    lines += ["", "the screen:", hand.text]
    for report in reports:
        lines += ["", str(report.name), report.read_text("utf-8", "replace")]
    sys.stdout.write("\n".join(lines) + "\n")
    return 1


if __name__ == "__main__":
    sys.exit(main())
