"""``callboard sandbox``: which world it serves, where the world is kept, and ``callboard sandbox reset``.

Every command reads these options, so what only the sandbox needs is imported where it is used.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

from platformdirs import user_data_path

from registry.calling.sandbox_gateway import NoWorld, OpenWorld, open_world, remove_world
from registry.doors.common_options import number
from registry.doors.output import ExitCode, fail, remark, say
from registry.files.folders import private_folder

_USUAL = ""
"""The value of ``--data`` without a file."""

WORLDS = {"usual": False, "rough": True}
"""The values of ``--world``, and whether each is the rough one."""

_WIDTH = 30


def add_options(sandbox: argparse.ArgumentParser) -> None:
    """The options that choose the world to serve."""
    sandbox.add_argument("--seed", type=number, metavar="N", help="seed for the generated data (default 1)")
    sandbox.add_argument(
        "--customers", type=number, metavar="N", help="number of customers to generate, up to 1000000 (default about 70)"
    )
    sandbox.add_argument(
        "--data",
        nargs="?",
        const=_USUAL,
        metavar="FILE",
        help="keep payments and CRM data in FILE between runs (default FILE: in your data folder)",
    )


def add_behaviour(command: argparse.ArgumentParser) -> None:
    """The options for a sandbox's behaviour."""
    command.add_argument("--scenario", metavar="NAME", help="incident scenario: quiet, busy-night (default), storm or outage")
    command.add_argument(
        "--world",
        choices=tuple(WORLDS),
        help="texts in the data: usual (default), or rough, with markup, escape sequences and unusual names",
    )
    command.add_argument(
        "--fault",
        metavar="SPEC",
        action="append",
        default=[],
        help="inject a fault, for example 'payments 500 x3'; repeatable; see callboard sandbox fault --help",
    )
    command.add_argument("--no-limits", action="store_true", help="turn off the services' rate limits")


def add_reset(actions: argparse._SubParsersAction[Any]) -> None:
    """The command that deletes a kept world."""
    reset = actions.add_parser(
        "reset", help="delete kept sandbox data", description="Delete the file with the kept sandbox data."
    )
    # The default must not hide a value given before the word reset.
    reset.add_argument(
        "--data",
        nargs="?",
        const=_USUAL,
        default=argparse.SUPPRESS,
        metavar="FILE",
        help="data file (default: in your data folder)",
    )
    reset.add_argument("--yes", action="store_true", help="do not ask")


@contextmanager
def opened(known: argparse.Namespace) -> Iterator[OpenWorld | None]:
    """The world that the options name, closed at the end; None for the usual one in memory."""
    if known.data is None and known.customers is None and known.seed is None:
        yield None
        return
    rough = None if known.world is None else WORLDS[known.world]
    progress = _Progress(known.customers or 0)
    if known.data == _USUAL:
        private_folder(_file(_USUAL).parent)
    try:
        with _stopped_by_signals():
            file = None if known.data is None else _file(known.data)
            world = open_world(file, known.seed, known.customers, progress.tell, rough=rough)
    except NoWorld as error:
        progress.end()
        fail(str(error))
    except BaseException:
        progress.end()
        raise
    progress.end()
    try:
        yield world
    finally:
        world.close()


def reset(known: argparse.Namespace) -> int:
    """Delete a kept world; asks first in a terminal, unless ``--yes`` is given."""
    file = _file(known.data or _USUAL)
    if not known.yes and file.exists():
        if not sys.stdin.isatty():
            fail(f"this deletes {file} and all changes in it; add --yes to confirm")
        sys.stderr.write(f"Delete {file} and all changes in it? [y/N] ")
        sys.stderr.flush()
        if sys.stdin.readline().strip().casefold() not in ("y", "yes"):
            remark("nothing was deleted")
            return ExitCode.OK
    try:
        removed = remove_world(file)
    except NoWorld as error:
        fail(str(error))
    say(
        f"Deleted {file}. The next sandbox with --data starts from fresh data."
        if removed
        else f"No such file: {file}. Nothing to delete."
    )
    return ExitCode.OK


def _file(given: str) -> Path:
    if given != _USUAL:
        return Path(os.path.expanduser(given)).absolute()

    return user_data_path("callboard") / "sandbox.db"


class _Progress:
    """The progress of generating a large world: a bar in a terminal, otherwise a line for every tenth."""

    def __init__(self, customers: int) -> None:
        self._what = f"Generating {customers} customers"
        self._terminal = sys.stderr.isatty()
        self._shown = -1

    def tell(self, part: float) -> None:
        """Show the progress, from 0 to 1."""
        percent = min(100, int(part * 100))
        if percent <= self._shown or (not self._terminal and percent // 10 == self._shown // 10):
            return
        self._shown = percent
        if self._terminal:
            filled = percent * _WIDTH // 100
            sys.stderr.write(f"\r{self._what} [{'#' * filled}{'.' * (_WIDTH - filled)}] {percent:3} %")
        else:
            sys.stderr.write(f"{self._what}: {percent // 10 * 10} %\n")
        sys.stderr.flush()

    def end(self) -> None:
        """End the bar's line."""
        if self._terminal and self._shown >= 0:
            sys.stderr.write("\n")
            sys.stderr.flush()


@contextmanager
def _stopped_by_signals() -> Iterator[None]:
    """Let SIGTERM interrupt the generation of a world as Ctrl+C does, so that it can clean up."""

    def stop(*_: object) -> NoReturn:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
