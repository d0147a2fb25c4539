"""``callboard explore``, ``keys``, ``config`` and ``demo``: the explorer with options, its keys and settings, walks through it.

What has a screen is passed in, because this package imports no screens.
"""

import argparse
import os
import re

from registry.doors.cli_parser import Options, application_of, bounded, fraction, pairs
from registry.doors.output import ExitCode, aligned, fail, say, say_values
from registry.engine import open_engine
from registry.files.folders import config_file
from registry.json_text import dumps
from registry.text.shown import visible_line

_SIZE = re.compile(r"([1-9][0-9]{1,2})x([1-9][0-9]{1,2})")


def _size(text: str) -> tuple[int, int]:
    found = _SIZE.fullmatch(text)
    if found is None or int(found[1]) < 80 or int(found[2]) < 24:
        raise argparse.ArgumentTypeError(f"must be columns and lines from 80x24, for example 120x40; got {text!r}")
    return int(found[1]), int(found[2])


OPTIONS: Options = {
    "explore": {},
    "keys": {},
    "config": {},
    "demo": {
        "--list": {"dest": "listed"},
        "--with": {"dest": "values"},
        "--world": {"default": "usual"},
        "--speed": {"type": bounded("a number from 0.25 to 10", fraction, 0.25, 10.0), "default": 1.0},
        "--size": {"type": _size, "default": (120, 40)},
    },
}


def run(options: argparse.Namespace) -> int:
    """Open the explorer, print its keys or settings, or play a walk; returns the exit code."""
    does = options.screens.get(options.command)
    if does is None:
        fail("the explorer is not part of this installation, or runs already")
    if options.command == "keys":
        return int(does())
    if options.command == "config":
        return _config(options.action or "show", options)
    if options.command == "demo":
        if options.record and (options.walk or options.export or options.values or options.listed):
            fail("--record starts a new walk, so it takes neither WALK nor --with, --export or --list")
        if (options.export or options.values) and not options.walk:
            fail("--export and --with need the name of a walk; see callboard demo --list")
        own = {"fault": [], "no_limits": True}
        return int(
            does(
                options,
                pairs(options.values, "--with"),
                lambda scenario, world: application_of(argparse.Namespace(**own, scenario=scenario or None, world=world)),
            )
        )
    if options.connection:
        open_engine().connection(options.connection)  # ends the command if it cannot be used
    return int(does(application_of(options), read_only=options.read_only, account=options.connection or ""))


def _config(action: str, options: argparse.Namespace) -> int:
    if action == "path":
        return say(str(config_file(os.environ)))
    found = options.screens["config"](action)
    if action == "schema":
        return say_values(found)
    if action == "check":
        say("\n".join(found) or "No mistakes found.")
        return ExitCode.SERVICE if found else ExitCode.OK
    if options.json:
        return say_values([one._asdict() for one in found])
    return say("\n".join(aligned([(one.name, visible_line(dumps(one.value)), one.source) for one in found])))
