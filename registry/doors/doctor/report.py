"""The whole report, and the report as lines."""

from __future__ import annotations

import asyncio
import os
import platform
import sqlite3
import stat
import sys
from collections.abc import Callable, Iterator, Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, NamedTuple

from platformdirs import user_cache_path, user_data_path, user_state_path

from registry import __version__
from registry.catalog.loader import Catalog
from registry.catalog.shared_folders import KINDS, shared_files, shared_setting
from registry.doors.doctor.travel import accounts, ask_hosts, proxies
from registry.engine import Engine, open_engine
from registry.files.folders import config_file
from registry.files.reasons import reason
from registry.journal.paths import audit_file, history_file
from registry.pages.shared import SharedPages
from registry.saved.store import shared_calls
from registry.text.safe_text import visible_line

_WRITTEN = ("state", "cache")
_ROOM = 1_000_000
"""The fewest free bytes with which calls can be recorded."""


def files(environment: Mapping[str, str]) -> list[dict[str, Any]]:
    """For each: ``what`` it is, its ``path``, its ``mode`` in octal (None if it does not exist), and a ``problem`` or None."""
    named = {
        "state": user_state_path("callboard"),
        "history": history_file(),
        "audit log": audit_file(),
        "cache": user_cache_path("callboard"),
        "data": user_data_path("callboard"),
        "settings": config_file(environment),
    }
    found = [_described(what, path, private=what != "settings") for what, path in named.items()]
    for one in found:
        if one["what"] in _WRITTEN and one["problem"] is None:
            one["problem"] = _no_room(one["what"], Path(one["path"]))
    return found


def _described(what: str, path: Path, *, private: bool) -> dict[str, Any]:
    try:
        found = path.stat()
    except FileNotFoundError:
        return {"what": what, "path": str(path), "mode": None, "problem": None}
    except OSError as error:
        return {"what": what, "path": str(path), "mode": None, "problem": f"{what}: {reason(error, path)}"}
    mode = stat.S_IMODE(found.st_mode)
    problem = None
    if private and mode & 0o077:
        problem = f"{what}: other users can read {path} (mode {mode:04o}); fix it with chmod go= {path}"
    elif not os.access(path, os.R_OK if what == "settings" else os.R_OK | os.W_OK):
        problem = f"{what}: you have no read and write permission for {path}"
    elif what in ("history", "audit log", "settings") and not stat.S_ISREG(found.st_mode):
        problem = f"{what}: {path} is not a file"
    return {"what": what, "path": str(path), "mode": f"{mode:04o}", "problem": problem}


def _no_room(what: str, path: Path) -> str | None:
    """Why nothing can be written into a folder, which may not exist yet; None if it can."""
    there = next(one for one in (path, *path.parents) if os.path.lexists(one))
    if not there.is_dir():
        return f"{what}: {path} cannot be created: {there} is no folder, or a link to none"
    if not os.access(there, os.W_OK | os.X_OK):
        return f"{what}: {path} cannot be written: you have no write permission for {there}, or its disk is read-only"
    if not hasattr(os, "statvfs"):
        return None
    disk = os.statvfs(there)
    free, takes_files = disk.f_bavail * disk.f_frsize, bool(disk.f_favail or not disk.f_files)
    if free >= _ROOM and takes_files:
        return None
    left = f"{free:,} bytes are free" if takes_files else "no more files can be created"
    return f"{what}: the disk of {path} is full ({left}); free some room on it"


class Sharing(NamedTuple):
    """Sections of the report, and the problems as sentences."""

    sections: dict[str, Any]
    problems: list[str]


def sharing(environment: Mapping[str, str], catalog: Catalog) -> Sharing:
    """The section ``shared``. Reads files; does not use the network."""
    sections: dict[str, Any] = {}
    folders, wrong = shared_setting(environment)
    problems = list(wrong)
    if folders:
        sections["shared"] = [
            {
                "name": one.name,
                "address": str(one.path),
                "files": {kind: len(shared_files(kind, [one]).files) for kind in KINDS},
            }
            for one in folders
        ]
        pages = SharedPages(lambda: folders)
        pages.read()
        shared_calls(folders, catalog, problems)
        problems = list(dict.fromkeys([*problems, *pages.problems]))
    return Sharing(sections, problems)


def sharing_lines(report: Mapping[str, Any]) -> Iterator[str]:
    """The sections as lines for people."""
    if "shared" in report:
        yield "Shared folders"
        for one in report["shared"]:
            counts = ", ".join(f"{count} in {kind}" for kind, count in one["files"].items() if count) or "no files"
            yield f"  {one['name'].ljust(12)} {one['address']}: {counts}"
        yield ""


Report = dict[str, Any]

_PACKAGES = ("textual", "httpx", "pydantic", "msgspec", "pyarrow", "keyring", "duckdb")
_TERMINAL = ("TERM", "COLORTERM", "TERM_PROGRAM", "LANG", "LC_ALL", "NO_COLOR", "TMUX", "SSH_CONNECTION")


async def examine(environment: Mapping[str, str] = os.environ, *, offline: bool = False) -> Report:
    """The report as JSON values by section, and all ``problems`` as sentences.

    Args:
        environment: the environment variables with accounts and proxies.
        offline: contact no host.
    """
    async with open_engine() as engine:
        problems = [*([engine.problem] if engine.problem else []), *engine.account_wrongs]
        problems += [str(one) for one in engine.catalog.problems]
        found_files = await asyncio.to_thread(files, environment)
        found_proxies, wrong = proxies()
        problems += [one["problem"] for one in found_files if one["problem"]] + wrong
        found_accounts = accounts(engine.connections.values(), usable=not wrong)
        hosts = [] if offline or wrong else await ask_hosts(found_accounts)
        found_sharing = await asyncio.to_thread(sharing, environment, engine.catalog)
        problems += found_sharing.problems
        problems += [one["problem"] for one in hosts if one["problem"]]
        report: Report = {
            "versions": _versions(),
            "terminal": _terminal(environment),
            "files": found_files,
            "proxies": found_proxies,
            "accounts": found_accounts,
            "hosts": hosts,
            **found_sharing.sections,
            "problems": problems,
        }
        cleaned: Report = _cleaned(report, _hider(engine))
        return cleaned


def lines(report: Report) -> list[str]:
    """The report as lines for people; safe to print."""
    return [visible_line(line) for line in _lines(report)]


def _lines(report: Report) -> Iterator[str]:
    for name in ("versions", "terminal"):
        yield name.capitalize()
        yield from (f"  {key.ljust(12)} {value}" for key, value in report[name].items())
        yield ""
    yield "Files"
    yield from (f"  {one['what'].ljust(12)} {one['mode'] or 'none'.ljust(4)}  {one['path']}" for one in report["files"])
    yield ""
    yield "Proxies"
    yield from (f"  {name.ljust(12)} {address}" for name, address in report["proxies"].items() or {"none": ""}.items())
    yield ""
    yield "Accounts"
    for one in report["accounts"]:
        yield f"  {one['account']}: {one['toolkit']} ({one['mode']}), credential {one['credential']}"
        yield from (f"    to {each['address']}, {each['way']}" for each in one["hosts"])
    yield ""
    if report["hosts"]:
        yield "Hosts (contacted without credentials)"
        yield from (f"  {one['address']}: {one['said']}" for one in report["hosts"])
        yield ""
    yield from sharing_lines(report)
    yield "Problems" if report["problems"] else "No problems found."
    yield from (f"  ✗ {problem}" for problem in report["problems"])


def _versions() -> dict[str, str]:
    found = {"callboard": __version__, "python": platform.python_version(), "sqlite": sqlite3.sqlite_version}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return {**found, "system": platform.platform()}


def _terminal(environment: Mapping[str, str]) -> dict[str, str]:
    streams = {"input": sys.stdin, "output": sys.stdout, "error": sys.stderr}
    found = {
        name: "a terminal" if stream is not None and stream.isatty() else "no terminal" for name, stream in streams.items()
    }
    try:
        size = os.get_terminal_size(sys.__stdout__.fileno() if sys.__stdout__ is not None else 1)
        found["size"] = f"{size.columns}×{size.lines}"
    except (OSError, ValueError):
        found["size"] = "unknown"
    found["encoding"] = getattr(sys.stdout, "encoding", None) or "unknown"
    colours = environment.get("COLORTERM", "")
    found["colours"] = "16 million" if colours in ("truecolor", "24bit") else "from TERM"
    # For TMUX and SSH_CONNECTION only whether they are set: they contain paths and addresses.
    kept = {name: environment[name] for name in _TERMINAL if environment.get(name)}
    return found | {name: "yes" if name in ("TMUX", "SSH_CONNECTION") else value[:60] for name, value in kept.items()}


def _hider(engine: Engine) -> Callable[[str], str]:
    """A function that redacts credentials in a text, and replaces the home folder with ``~``."""
    endpoints = [one for each in engine.connections.values() for one in each.endpoints.values()]
    homes = sorted({home for home in (os.path.expanduser("~"), os.environ.get("HOME", "")) if len(home) > 1}, key=len)

    def hide(text: str) -> str:
        content = text.encode("utf-8", "backslashreplace")
        for endpoint in endpoints:
            content = endpoint.hide(content)
        text = content.decode()
        for home in reversed(homes):
            text = text.replace(home, "~")
        return text

    return hide


def _cleaned(value: Any, hide: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return hide(value)
    if isinstance(value, Path):
        return hide(str(value))
    if isinstance(value, dict):
        return {name: _cleaned(one, hide) for name, one in value.items()}
    return [_cleaned(one, hide) for one in value] if isinstance(value, list) else value
