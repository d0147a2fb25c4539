"""Prints a recording: how the verdict changed, and the dashboard at its end. Every line is marked as past."""

from __future__ import annotations

import json

from registry.doors.cli_oncall import board_lines
from registry.doors.output import fail, say, say_json
from registry.oncall.account_view import AccountView
from registry.oncall.as_json import as_json as values
from registry.oncall.as_json import iso_or_none
from registry.oncall.board import board
from registry.oncall.recording import NoRecording
from registry.oncall.replay import Replay, past, past_stamp
from registry.text.safe_text import visible_line


def print_replay(replay: Replay, *, as_json: bool) -> int:
    """Print the recording; returns the exit code of its last moment."""
    changes: list[tuple[float, str]] = []
    try:
        for number in range(len(replay)):
            frame = replay.frame(number)
            made = board(frame.facts, frame.at)
            view = AccountView(frame.heading.account, frame.heading.mode, made, frame.interval)
            if not changes or changes[-1][1] != view.steady_title:
                changes.append((frame.at, view.steady_title))
    except NoRecording as error:
        fail(f"cannot replay the recording: {error}")
    if as_json:
        properties = {
            "past": True,
            "account": view.name,
            "first": iso_or_none(replay.moments[0]),
            "last": iso_or_none(replay.moments[-1]),
            "refreshes": len(replay),
            "verdicts": [{"at": iso_or_none(at), "verdict": words} for at, words in changes],
            "board": values(made),
        }
        say_json(json.dumps(properties, ensure_ascii=False, indent=2))
        return view.code
    zone = view.zone
    first, last = past_stamp(replay.moments[0], zone), past_stamp(replay.moments[-1], zone)
    say(f"PAST: recording of {view.label}, {len(replay)} refreshes, {first} to {last}. Nothing here is live.")
    say("")
    for at, words in changes:
        say(visible_line(f"{past(at, zone)}  {words}"))
    say("")
    stamp = past(frame.at, zone)
    for line in board_lines(made, frame.interval):
        say(f"{stamp}  {line}" if line else "")
    return view.code
