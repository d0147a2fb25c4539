"""Work on responses in threads, so that the screen is not blocked; the libraries for it are imported there as well.

The first rows of the first response are drawn without most of these libraries: loading them takes longer than drawing.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from array import array
from collections.abc import Callable, Mapping
from contextlib import suppress

from registry.catalog.model import Tool
from tui.json_view.document import Document
from tui.json_view.links import Links
from tui.json_view.row_index import numbers
from tui.json_view.rows import JsonRows
from tui.json_view.search import BadPattern, SearchFailed, TextSearch, hits
from tui.session import Session

LONGEST = 30.0
"""Seconds after which a search is given up."""

_ASKED_EVERY = 0.1


def hits_apart(rows: JsonRows, query: TextSearch, given_up: Callable[[], bool]) -> array[int]:
    """The rows in which a regular expression matches, in order; blocks until they are found.

    Args:
        rows: where to look.
        query: what to look for.
        given_up: called now and then; once it returns true, the process is killed, and nothing is found.

    Raises:
        BadPattern: the query is not a valid regular expression.
        SearchFailed: the search took too long, or no process can be started.
    """
    wanted = {"text": query.text, "where": query.where, "indent": rows.indent, "seconds": int(LONGEST) + 1}
    pipe = subprocess.PIPE
    # -P: do not import modules from the current folder.
    command = [sys.executable, "-P", "-m", "tui.json_view.search_process"]
    try:
        process = subprocess.Popen(  # noqa: S603  # the program itself
            command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, start_new_session=True
        )
    except OSError as error:
        raise SearchFailed(f"cannot start a process for the search: {error.strerror}") from None
    with process:
        try:
            output = _output(process, (json.dumps(wanted).encode() + b"\n", rows.text), given_up)
        finally:
            process.kill()
    if output is None:
        return numbers()
    if process.returncode == 1:
        raise BadPattern(output.decode())
    if process.returncode:
        raise SearchFailed("the search ended unexpectedly; try plain text")
    found = numbers()
    found.frombytes(output)
    return found


def _output(
    process: subprocess.Popen[bytes], parts: tuple[bytes | bytearray, ...], given_up: Callable[[], bool]
) -> bytes | None:
    """What the process prints, given its input; None if the search was given up."""
    assert process.stdin is not None, "it was asked for as a pipe"
    with suppress(BrokenPipeError):
        for part in parts:
            process.stdin.write(part)
        process.stdin.close()
    process.stdin = None
    end = time.monotonic() + LONGEST
    while not given_up():
        try:
            return process.communicate(timeout=_ASKED_EVERY)[0]
        except subprocess.TimeoutExpired:
            if time.monotonic() > end:
                raise SearchFailed(f"stopped after {LONGEST:g} s: use a simpler expression, or plain text") from None
    return None


BEGINNING = 16_384
"""Bytes of a large text that are laid out first."""


_loaded = threading.Event()


def is_loaded() -> bool:
    """Whether everything is imported that a response needs after its first rows."""
    return _loaded.is_set()


def load(links: Callable[[], Links] | None) -> Links | None:
    """Import what a response needs after its first rows, and make its links."""
    found = links() if links is not None else None
    _loaded.set()
    return found


def links_of(tool: Tool, arguments: Mapping[str, object], session: Session) -> Links:
    """What the rows of a tool's response lead to."""
    return Links(tool, arguments, session.routes)


def document_of(body: bytes) -> Document:
    """The document of a JSON text. Raises InvalidJson if it is not JSON."""
    return Document.of(body)


def beginning_of(body: bytes) -> Document | None:
    """The document of the beginning of a long text; None when none of it can be shown."""
    return Document.beginning_of(body[:BEGINNING])


def hits_in(document: Document, query: TextSearch, given_up: Callable[[], bool]) -> array[int]:
    """The rows in which a query finds something, in order.

    Raises:
        BadPattern: the query is not a valid regular expression.
        SearchFailed: the search took too long, or cannot be started.
    """
    if query.is_regex and not query.is_linear:
        return hits_apart(document.rows, query, given_up)
    return hits(document.rows, query, given_up)
