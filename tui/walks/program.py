"""``callboard demo``: plays walks on the terminal, one after the other until the user quits, each in its own explorer.

One can also be exported, as a shell script of its calls, or as Markdown with a picture of every step.
"""

import asyncio
import re
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from shlex import quote
from tempfile import TemporaryDirectory

from registry.engine import Sandbox
from registry.files.folders import put_in_place, reason, unnamed_file
from registry.journal.entries import SearchQuery
from registry.journal.store import JournalError
from registry.text.shown import counted, visible_line
from tui.app import present
from tui.keyboard.commands import spelled
from tui.session import Session
from tui.state.settings import Settings, current
from tui.walks.recorder import RecordingApp
from tui.walks.walk import ENDING, Step, Walk, WalkError, WalkStopped, built_in, keys_of, named, written
from tui.walks.walk_app import WALKS_SANDBOX, WalkApp, own_folders, users_environment

_FONT = "'Fira Code','DejaVu Sans Mono',Menlo,Consolas,monospace"
_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>#|])")


class Export:
    """A file that a walk is written to.

    A script has its calls and pages; changes are commented out, so that nobody runs one by accident. Markdown has every step
    with its keys and its caption, and a picture of the screen.

    Args:
        file: the file; its ending says what it becomes.
        walk: the walk.

    Raises:
        WalkError: files with such an ending are not supported, or the file cannot be made.
    """

    def __init__(self, file: Path, walk: Walk) -> None:
        if file.suffix not in (".sh", ".md"):
            raise WalkError(
                f"--export: {file.name}: the name must end with .sh (a shell script) or .md (Markdown with pictures)."
            )
        writable(file)
        self._file, self._walk = file, walk
        self._parts: list[str] = []
        self._pictures: list[str] = []
        self._seen = self._pages = 0

    async def after(self, app: WalkApp, step: Step) -> None:
        """Record what a step did."""
        if self._file.suffix == ".md":
            self._pictures.append(picture(app))
            number = len(self._pictures)
            keys = [f"`{spelled(key)}`" for key in keys_of(step, app.settings)]
            done = f"Type `{self._walk.filled(step.type)}`." if step.type else f"Press {', '.join(keys)}." if keys else ""
            words = " ".join(one for one in (_plain(self._walk.caption(step, app.settings)), done) if one)
            self._parts.append(f"{number}. {words}\n\n   ![Step {number}]({self._folder.name}/{number:02}.svg)")
            return
        for number, line in await asyncio.to_thread(_calls, app.session, self._seen):
            self._seen = number
            self._parts.append(line)
        self._parts += [f"callboard page {quote(id_)}" for id_ in app.pages_opened[self._pages :]]
        self._pages = len(app.pages_opened)

    @property
    def _folder(self) -> Path:
        return self._file.with_name(f"{self._file.stem}-pictures")

    def write(self) -> str:
        """Write the file, and the pictures; returns a sentence about them.

        Raises:
            WalkError: the walk makes no calls, or a file or the folder cannot be written.
        """
        walk = self._walk
        about = [walk.about] if walk.about else []
        if self._file.suffix == ".md":
            try:
                self._folder.mkdir()
            except OSError as error:
                raise WalkError(f"{self._folder}: cannot make the folder: {error.strerror}.") from None
            for number, content in enumerate(self._pictures, 1):
                write_new(self._folder / f"{number:02}.svg", content)
            head = [f"# {_plain(walk.title)}", *map(_plain, about)]
            write_new(self._file, "\n\n".join([*head, *self._parts]) + "\n")
            return f"Saved {len(self._pictures)} steps in {self._file}, pictures in {self._folder}."
        if not self._parts:
            raise WalkError(f"{walk.name}: this walk makes no calls, so there is nothing to put into a script.")
        head = ["#!/bin/sh", *(f"# {visible_line(one)}" for one in (walk.title, *about)), "set -e", ""]
        write_new(self._file, "\n".join([*head, *self._parts]) + "\n")
        return f"Saved {counted(len(self._parts), 'command')} in {self._file}."


def _calls(session: Session, after: int) -> list[tuple[int, str]]:
    """The calls in a run's history after an entry, as commands. Blocks."""
    history, found = session.history, []
    if history is None:
        return []
    with suppress(JournalError):
        for entry in sorted(history.search(SearchQuery()), key=lambda one: one.id):
            tool = session.catalog.tools.get(entry.tool)
            if entry.id <= after or tool is None:
                continue
            arguments = session.check(tool, {name: _raw(value) for name, value in entry.arguments.items()})
            line = next(one.text for one in session.snippets(tool, arguments, entry.connection) if one.kind == "callboard")
            if entry.effect != "read":
                words = "# This one changes data. Remove the # to run it; add --yes where it deletes."
                line = "\n".join([words, *(f"# {part}" for part in line.splitlines())])
            found.append((entry.id, line))
    return found


def _raw(value: object) -> object:
    return value if isinstance(value, str | list | dict) else str(value).lower() if isinstance(value, bool) else str(value)


def picture(app: WalkApp) -> str:
    """The screen as an SVG that loads no other files."""
    drawn = app.export_screenshot(title="Callboard")
    drawn = re.sub(r"@font-face \{.*?\}\s*", "", drawn, flags=re.DOTALL)
    drawn = re.sub(r"font-family: [^;]+;", f"font-family: {_FONT};", drawn)
    # Without it, some programs drop the spaces at the beginning of a text, which align columns.
    return drawn.replace("<text ", '<text xml:space="preserve" ')


def _plain(text: str) -> str:
    """A text with Markdown's special characters escaped."""
    return _MARKDOWN.sub(r"\\\1", visible_line(text))


def writable(file: Path) -> None:
    """Check that a file can be made.

    Raises:
        WalkError: there is one already, or no such folder.
    """
    if file.exists():
        raise WalkError(f"{file} exists already. Choose another name, or remove it first.")
    if not file.parent.is_dir():
        raise WalkError(f"{file.parent}: no such folder.")


def write_new(file: Path, content: str) -> None:
    """Write a new file.

    Raises:
        WalkError: it exists already, or cannot be written.
    """
    try:
        with unnamed_file(file.parent, file.stem) as made:
            made.write(content.encode("utf-8"))
            put_in_place(made, file)
    except OSError as error:
        raise WalkError(f"cannot write the file: {reason(error, file)}.") from error


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
