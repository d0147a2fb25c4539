"""A short run of the monkey under the pilot. `make monkey` plays in a real terminal, as long as you like."""

from __future__ import annotations

import itertools
import sys
from pathlib import Path

import pytest
from textual import events
from textual._xterm_parser import XTermParser
from textual.pilot import Pilot

from registry.catalog.listing import table_of_contents
from registry.doors.cli_parser import parser
from registry.sandbox.faults.specification import parse
from tests.monkey.actions import COMMANDED, OFTEN, actions, start_words
from tests.monkey.hand import Ended, Frozen, Hand, code_of
from tests.monkey.visits import DELETIONS, LISTS, STARTS, Action
from tests.tui.app import desk

_SEED, _ACTIONS = 1, 60


def test_a_seed_repeats_its_actions() -> None:
    first, again, other = (list(itertools.islice(actions(seed), 500)) for seed in (7, 7, 8))
    assert first == again
    assert first != other
    assert all(code_of(action.words) for action in first if action.kind == "key")
    assert all(code_of(key) for key in COMMANDED)


def test_it_knows_its_way() -> None:
    """Every tool that it looks for exists, and the command line accepts every start."""
    tools = {tool.name for tool in table_of_contents()}
    assert tools >= {*OFTEN, *LISTS, *DELETIONS}
    for line in STARTS:
        known = parser().parse_args(start_words(line))
        for text in getattr(known, "fault", ()):
            parse(text)


def test_a_screen_that_stands_still_and_a_program_that_ends_are_seen(tmp_path: Path) -> None:
    still = "import time; print('standing still', flush=True); time.sleep(600)"
    with Hand(tmp_path, (sys.executable, "-c", still), patience=0.3) as hand, pytest.raises(Frozen):
        hand.answers()
    with Hand(tmp_path, (sys.executable, "-c", "raise SystemExit(70)")) as hand:
        with pytest.raises(Ended):
            hand.answers()
        assert hand.exit_code() == 70


async def _do(pilot: Pilot[None], action: Action) -> None:
    """Do one action, and wait only until the screen handled it."""
    app, numbers = pilot.app, action.words.split(" ")
    match action.kind:
        case "key" | "text":
            text = code_of(action.words) if action.kind == "key" else action.words
            if text != "\x1b":
                for message in XTermParser().feed(text):
                    app.post_message(message)
            else:
                app.post_message(events.Key("escape", None))
        case "paste":
            app.post_message(events.Paste(action.words))
        case "click":
            x, y = (int(float(one) * length) for one, length in zip(numbers[:2], app.size, strict=True))
            await pilot.click(offset=(min(x, app.size.width - 1), min(y, app.size.height - 1)), times=int(numbers[2]))
        case "resize":
            await pilot.resize_terminal(int(numbers[0]), int(numbers[1]))
    await pilot.pause()


async def test_nothing_ends_the_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"PAGER": "cat", "EDITOR": "true", "VISUAL": "true", "XDG_DOWNLOAD_DIR": str(tmp_path)}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    async with desk(remembered=tmp_path) as one:
        monkeypatch.setattr(one.app, "action_quit", one.pilot.pause)
        for action in itertools.islice(actions(_SEED), _ACTIONS):
            await _do(one.pilot, action)
            assert one.app._exception is None, action
        assert not list((tmp_path / "state").rglob("crashes/*"))
        assert one.app.is_running
