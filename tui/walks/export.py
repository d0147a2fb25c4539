"""Exports a walk as a shell script of its calls, or as Markdown with a picture of every step."""

from __future__ import annotations

import asyncio
import re
from contextlib import suppress
from pathlib import Path
from shlex import quote

from registry.files.atomic_file import unnamed_file
from registry.files.reasons import reason
from registry.journal.search_query import SearchQuery
from registry.journal.store import JournalError
from registry.text.safe_text import visible_line
from tui.keyboard.key_names import spelled
from tui.session import Session
from tui.walks.walk import Step, Walk, WalkError, keys_of
from tui.walks.walk_app import WalkApp

_FONT = "'Fira Code','DejaVu Sans Mono',Menlo,Consolas,monospace"
_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>#|])")


def exporter_for(file: Path, walk: Walk) -> ShellScript | MarkdownPage:
    """The exporter for a file, by its extension.

    Raises:
        WalkError: files with such an extension are not supported, or the file cannot be made.
    """
    if file.suffix not in (".sh", ".md"):
        raise WalkError(f"--export: {file.name}: the name must end with .sh (a shell script) or .md (Markdown with pictures).")
    writable(file)
    return ShellScript(file, walk) if file.suffix == ".sh" else MarkdownPage(file, walk)


class ShellScript:
    """The calls and pages of a walk as commands; changes are commented out, so that nobody runs one by accident."""

    def __init__(self, file: Path, walk: Walk) -> None:
        self._file, self._walk = file, walk
        self._lines: list[str] = []
        self._seen = 0
        self._pages = 0

    async def after(self, app: WalkApp, step: Step) -> None:
        """Record the calls of a step, and the pages that it opened."""
        for number, line in await asyncio.to_thread(_calls, app.session, self._seen):
            self._seen = number
            self._lines.append(line)
        self._lines += [f"callboard page {quote(id_)}" for id_ in app.pages_opened[self._pages :]]
        self._pages = len(app.pages_opened)

    def write(self) -> str:
        """Write the script; returns a sentence about it.

        Raises:
            WalkError: the walk makes no calls, or the file cannot be written.
        """
        if not self._lines:
            raise WalkError(f"{self._walk.name}: this walk makes no calls, so there is nothing to put into a script.")
        head = ["#!/bin/sh", f"# {visible_line(self._walk.title)}", *(f"# {one}" for one in _about(self._walk)), "set -e", ""]
        write_new(self._file, "\n".join([*head, *self._lines]) + "\n")
        return f"Saved {len(self._lines)} commands in {self._file}."


def _calls(session: Session, after: int) -> list[tuple[int, str]]:
    """The calls in a run's history after an entry, as commands. Blocks."""
    history, found = session.history, []
    if history is None:
        return []
    history.flush()
    with suppress(JournalError):
        for entry in sorted(history.search(SearchQuery()), key=lambda one: one.id):
            tool = session.catalog.tools.get(entry.tool)
            if entry.id <= after or tool is None:
                continue
            arguments = session.check(tool, {name: _raw(value) for name, value in entry.arguments.items()})
            line = next(one.text for one in session.snippets(tool, arguments, entry.connection) if one.kind == "callboard")
            found.append((entry.id, line if entry.effect == "read" else _commented(line)))
    return found


def _raw(value: object) -> object:
    return value if isinstance(value, str | list | dict) else str(value).lower() if isinstance(value, bool) else str(value)


def _commented(command: str) -> str:
    lines = [f"# {line}" for line in command.splitlines()]
    return "\n".join(["# This one changes data. Remove the # to run it; add --yes where it deletes.", *lines])


class MarkdownPage:
    """Every step with its keys and its caption, and a picture of the screen."""

    def __init__(self, file: Path, walk: Walk) -> None:
        self._file, self._walk = file, walk
        self._folder = file.with_name(f"{file.stem}-pictures")
        self._parts: list[str] = []
        self._pictures: list[str] = []

    async def after(self, app: WalkApp, step: Step) -> None:
        """Record a picture of the screen."""
        self._pictures.append(picture(app))
        number = len(self._pictures)
        keys = [f"`{spelled(key)}`" for key in keys_of(step, app.settings)]
        done = f"Type `{self._walk.filled(step.type)}`." if step.type else f"Press {', '.join(keys)}." if keys else ""
        words = " ".join(one for one in (_plain(self._walk.caption(step, app.settings)), done) if one)
        self._parts.append(f"{number}. {words}\n\n   ![Step {number}]({self._folder.name}/{number:02}.svg)")

    def write(self) -> str:
        """Write the page and its pictures; returns a sentence about them.

        Raises:
            WalkError: the folder or a file cannot be written.
        """
        try:
            self._folder.mkdir()
        except OSError as error:
            raise WalkError(f"{self._folder}: cannot make the folder: {error.strerror}.") from None
        for number, content in enumerate(self._pictures, 1):
            write_new(self._folder / f"{number:02}.svg", content)
        head = [f"# {_plain(self._walk.title)}", *(_plain(one) for one in _about(self._walk))]
        write_new(self._file, "\n\n".join([*head, *self._parts]) + "\n")
        return f"Saved {len(self._pictures)} steps in {self._file}, pictures in {self._folder}."


def picture(app: WalkApp) -> str:
    """The screen as an SVG that loads no other files."""
    drawn = app.export_screenshot(title="Callboard")
    drawn = re.sub(r"@font-face \{.*?\}\s*", "", drawn, flags=re.DOTALL)
    drawn = re.sub(r"font-family: [^;]+;", f"font-family: {_FONT};", drawn)
    # Without it, some programs drop the spaces at the beginning of a text, which align columns.
    return drawn.replace("<text ", '<text xml:space="preserve" ')


def _about(walk: Walk) -> list[str]:
    return [visible_line(walk.about)] if walk.about else []


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
            made.file.write(content.encode("utf-8"))
            made.place(file)
    except OSError as error:
        raise WalkError(f"cannot write the file: {reason(error, file)}.") from error
