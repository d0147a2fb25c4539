"""``callboard demo``: plays walks on the terminal, one after the other until the user quits, each in its own explorer."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from registry.engine import Sandbox
from tui.app import present
from tui.session import Session
from tui.state.settings import Settings, current
from tui.walks.export import Export, writable, write_new
from tui.walks.recorder import RecordingApp
from tui.walks.walk import ENDING, Step, Walk, WalkStopped, built_in, named, written
from tui.walks.walk_app import WALKS_SANDBOX, WalkApp, own_folders, users_environment

SandboxMaker = Callable[[str, str], "Sandbox"]
"""Makes a sandbox by its scenario (empty for the usual one) and its world."""

FAILED = 1
"""Exit code if a walk could not be played to its end."""


def list_walks() -> str:
    """A list of the built-in walks: name, title, and the values that can be replaced."""
    width = max(map(len, built_in()))
    lines = [(one, f"  (--with {', '.join(one.values)})" if one.values else "") for one in built_in().values()]
    return "\n".join(f"{one.name:<{width}}  {one.title}{takes}" for one, takes in lines)


def play(walk: Walk | None, speed: float, sandbox_of: SandboxMaker, complain: Callable[[str], object]) -> int:
    """Play a walk, or let the user choose one; returns the exit code. Problems are reported by `complain`."""
    settings = partial(current, users_environment())
    while True:
        with _session(walk, sandbox_of) as session:
            app = WalkApp(session, settings, walk, speed=speed)
            code = present(app)
        if app.problem:
            complain(app.problem)
        if code or app.next_walk is None:
            return code or (FAILED if app.problem else 0)
        walk = app.next_walk


def record(file: Path, scenario: str, world: str, sandbox_of: SandboxMaker, remark: Callable[[str], object]) -> int:
    """Open the explorer and record the user's actions as a walk; returns the exit code. The outcome is reported by `remark`.

    Raises:
        WalkError: the file cannot be written.
    """
    writable(file)
    begun, settings = Walk(title="", scenario=scenario, world=world), partial(current, users_environment())
    with _session(begun, sandbox_of) as session:
        app = RecordingApp(session, settings, file.name)
        code = present(app)
    walk = app.recording.walk(begun, file.name.removesuffix(ENDING))
    if walk is None:
        remark("Nothing was recorded; no file was written.")
        return code
    write_new(file, written(walk))
    remark(f"Saved {len(walk.steps)} steps in {file}. Play it: callboard demo {file}")
    return code


def export(name: str, values: Mapping[str, str], file: Path, size: tuple[int, int], sandbox_of: SandboxMaker) -> str:
    """Play a walk without a terminal, and write it as a shell script or as Markdown with pictures; returns what was written.

    Raises:
        WalkStopped: it could not be played to its end.
        WalkError: there is no such walk, or the file cannot be written.
    """
    walk = named(name).with_values(values)
    exporter = Export(file, walk)
    if problem := asyncio.run(play_headless(walk, sandbox_of, size, exporter.after)):
        raise WalkStopped(f"{walk.name}: {problem}")
    return exporter.write()


async def play_headless(
    walk: Walk, sandbox_of: SandboxMaker, size: tuple[int, int], after: Callable[[WalkApp, Step], Awaitable[None]]
) -> str:
    """Play a walk without a terminal, as fast as possible; returns what went wrong, or ""."""
    with _session(walk, sandbox_of) as session:
        app = WalkApp(session, Settings, walk, speed=0, after=after, captions=False, stays=False)
        await app.run_async(headless=True, size=size)
    return app.problem or ("" if app.return_code in (0, None) else "the explorer ended with an error")


@contextmanager
def _session(walk: Walk | None, sandbox_of: SandboxMaker) -> Iterator[Session]:
    """A session without accounts, in folders that are removed afterwards."""
    sandbox = sandbox_of(walk.scenario if walk else "", walk.world if walk else "usual")
    with (
        TemporaryDirectory(prefix="callboard-walk-", ignore_cleanup_errors=True) as folder,
        own_folders(Path(folder)) as environment,
    ):
        session = Session(environment, sandbox=sandbox, state=Path(folder))
        session.sandbox_names = (WALKS_SANDBOX,)
        yield session
