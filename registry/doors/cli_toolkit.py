"""``callboard toolkit``: adds toolkits from OpenAPI documents and MCP servers, and lists, checks and removes them."""

import argparse
import json
import os
from collections.abc import Sequence
from pathlib import Path

from registry.catalog.folders import SERVICE, CatalogProblem
from registry.catalog.loader import load
from registry.doors.cli_parser import Options
from registry.doors.output import ExitCode, complain, fail, remark, say, say_values
from registry.engine import open_engine
from registry.openapi.document import FILE, DocumentRefused
from registry.openapi.mcp_server import configured_source, mcp_source
from registry.openapi.store import (
    Change,
    Kept,
    NotKept,
    all_kept,
    credentials_of,
    keep,
    keep_prepared,
    kept,
    look_again,
    prepared,
    remove,
)
from registry.text.shown import counted
from registry.toolkits.checking import checked_folders

_SHOWN = 12


OPTIONS: Options = {
    "toolkit": {
        "ACTION": {"metavar": "ACTION", "required": True},
        "add --mcp-config": {"nargs": 2, "metavar": ("FILE", "NAME")},
    }
}


def run(known: argparse.Namespace) -> int:
    """Run an action and return the exit code."""
    does = {"add": _add, "list": _list, "show": _show, "check": _check, "refresh": _refresh, "remove": _remove}
    try:
        return does[known.action](known)
    except DocumentRefused as refusal:
        fail(str(refusal), ExitCode.LOCAL, title="The document cannot be used")
    except NotKept as error:
        fail(str(error))


def _add(known: argparse.Namespace) -> int:
    sources = [one for one in (known.source, known.mcp, known.mcp_config) if one is not None]
    if len(sources) != 1:
        fail("add takes a document, FILE or URL, or an MCP server with --mcp or --mcp-config")
    if (known.server or known.bearer or known.header) and known.source is None:
        fail("--server, --bearer and --header are for documents; remove them, or --mcp")
    source = known.source
    if known.mcp is not None:
        source = mcp_source(known.mcp, known.pass_env, known.name)
    elif known.mcp_config is not None:
        source = configured_source(*known.mcp_config)
    header = "Authorization" if known.bearer else known.header
    one = keep_prepared(prepared(source, name=known.name, server=known.server, overlay=known.overlay, header=header))
    if known.json:
        return say_values(_described(one))
    source = one.source
    of = f" of {source.title}" if known.name is None else ""
    say(f"Added {source.toolkit} ({one.name}): {counted(source.tools, 'tool')}{of}, {source.kind}.")
    if left_out := source.left_out:
        complain(f"{counted(len(left_out), 'operation is', 'operations are')} left out; the first: {left_out[0]}")
    if one.guesses:
        say(f"{counted(len(one.guesses), 'guess', 'guesses')}: callboard toolkit show {one.name}")
    service = load().toolkits.get(source.toolkit)
    if service is not None and (credentials := credentials_of(service)):
        say(credentials)
    return say(f"Restart an open explorer to see it.\nNext: callboard tools {source.toolkit}")


def _list(known: argparse.Namespace) -> int:
    found = all_kept()
    if known.json:
        return say_values([_described(one) for one in found])
    for one in found:
        source = one.source
        guesses = f", {counted(len(one.guesses), 'guess', 'guesses')}" if one.guesses else ""
        say(f"{one.name:<24} {counted(source.tools, 'tool'):>11}{guesses}  {source.source}")
    if not found:
        remark("No toolkit was added yet. Try: callboard toolkit add FILE|URL")
    return ExitCode.OK


def _show(known: argparse.Namespace) -> int:
    one = kept(known.name)
    source = one.source
    if known.json:
        return say_values(_described(one))
    lines = (
        f"{source.title} · {source.toolkit}   {source.kind}, {counted(source.tools, 'tool')}",
        f"From     {source.source}",
        f"SHA-256  {source.sha256}   {source.size:,} bytes, read {source.added}",
        f"Overlay  {one.folder / FILE}",
    )
    say("\n".join(lines))
    _print_guesses(one)
    _print_lines("Operations left out", [str(note) for note in source.left_out])
    _print_lines("Parts left out", [str(note) for note in source.remarks])
    return ExitCode.OK


def _check(known: argparse.Namespace) -> int:
    """Check the toolkit with a name, or the folder if no added toolkit has that name."""
    try:
        one = kept(known.name)
    except NotKept:
        if os.path.isdir(known.name):
            if known.keep:
                fail("--keep is for added toolkits; remove it to check a folder")
            return _check_folder(known.name, as_json=known.json)
        if os.sep in known.name:
            fail(f"there is no folder {known.name}")
        raise
    if known.keep:
        ids = [guess.id for guess in one.guesses] if known.keep == ["all"] else known.keep
        one = keep(one, ids)
        keep_prepared(look_again(one, _headers(one)))
        return say(f"Kept {counted(len(ids), 'guess', 'guesses')} of {one.name}.")
    change = look_again(one, _headers(one)).change
    if known.json:
        return say_values(_changed(change) | {"guesses": _guesses(one)})
    _print_change(one, change, "Refresh it with: callboard toolkit refresh " + one.name)
    _print_guesses(one)
    return ExitCode.OK


def _check_folder(name: str, *, as_json: bool) -> int:
    """Print each mistake in a folder, or the number of tools if there is none; the exit code is SERVICE with mistakes."""
    found = checked_folders(Path(name))
    if not found:
        fail(f"{name} has no {SERVICE}, and none of its folders has one")
    code = ExitCode.SERVICE if any(one.problems for one in found) else ExitCode.OK
    if as_json:
        say_values(
            [{"folder": str(one.folder), "tools": one.tools, "problems": [*map(_problem, one.problems)]} for one in found]
        )
        return code
    for one in found:
        for problem in one.problems:
            say(str(problem))
    for one in found:
        if one.problems:
            remark(f"{one.folder}: {counted(len(one.problems), 'mistake')}; {counted(one.tools, 'tool')} can be used")
        else:
            say(f"{one.folder}: {counted(one.tools, 'tool')}, no mistakes")
    return code


def _problem(problem: CatalogProblem) -> dict[str, object]:
    return {"file": problem.file, "tool": problem.tool or None, "field": problem.field or None, "rule": problem.message}


def _refresh(known: argparse.Namespace) -> int:
    one = kept(known.name)
    again = look_again(one, _headers(one))
    one, change = keep_prepared(again), again.change
    if known.json:
        return say_values(_described(one) | _changed(change))
    _print_change(one, change, f"{one.name} has {counted(one.source.tools, 'tool')} now.")
    return ExitCode.OK


def _remove(known: argparse.Namespace) -> int:
    one = kept(known.name)
    remove(one)
    return say(json.dumps({"name": one.name, "removed": True}) if known.json else f"Removed {one.name}.")


def _headers(one: Kept) -> dict[str, str] | None:
    """The headers for requests to a toolkit's MCP server, those of its account; None for a document."""
    if one.source.mcp is None or not one.source.mcp.url:
        return None
    return open_engine().named(None, one.source.toolkit).endpoint(one.source.toolkit).headers()


def _print_change(one: Kept, change: Change, otherwise: str) -> None:
    if not (change.added or change.removed or change.changed):
        what = "the list of tools" if one.source.mcp is not None else "the document"
        say(f"{one.name}: {what} {'is the same' if change.same else 'has changed, but its tools have not'}.")
        return
    for word, names in (("New", change.added), ("Gone", change.removed), ("Changed", change.changed)):
        if names:
            more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
            say(f"{word}: {', '.join(names[:_SHOWN])}{more}")
    say(otherwise)


def _print_guesses(one: Kept) -> None:
    whose = "are the server’s word" if one.source.mcp is not None else "the document does not say"
    heading = f"Guesses, which {whose} (keep them: callboard toolkit check {one.name} --keep all)"
    _print_lines(heading, [f"{guess.id}: {guess.what} – from {guess.reason}" for guess in one.guesses])


def _print_lines(heading: str, lines: Sequence[str]) -> None:
    """Print the first lines below a heading; nothing if there are no lines."""
    if not lines:
        return
    say(f"\n{heading}")
    for line in lines[:_SHOWN]:
        say(f"  {line}")
    if len(lines) > _SHOWN:
        say(f"  … and {len(lines) - _SHOWN} more; --json has them")


def _described(one: Kept) -> dict[str, object]:
    source = one.source
    facts = {name: getattr(source, name) for name in ("toolkit", "title", "source", "sha256", "size", "added", "tools")}
    made_from = "openapi" if source.mcp is None else "mcp"
    notes = {name: [note._asdict() for note in getattr(source, name)] for name in ("left_out", "remarks")}
    kind = {"openapi": None, "mcp": None, made_from: source.openapi}
    return {"name": one.name, **facts, **kind, "folder": str(one.folder), "guesses": _guesses(one), **notes}


def _guesses(one: Kept) -> list[dict[str, str]]:
    return [{"id": guess.id, "what": guess.what, "reason": guess.reason} for guess in one.guesses]


def _changed(change: Change) -> dict[str, object]:
    names = {"new": change.added, "gone": change.removed, "changed": change.changed}
    return {"same_document": change.same, **{word: list(some) for word, some in names.items()}}
