"""The whole report, and the report as lines."""

from __future__ import annotations

import asyncio
import os
import platform
import sqlite3
import sys
from collections.abc import Callable, Iterator, Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from registry import __version__
from registry.doors.doctor.files import files
from registry.doors.doctor.sharing import sharing, sharing_lines
from registry.doors.doctor.travel import accounts, ask_hosts, proxies
from registry.engine import Engine, open_engine
from registry.text.safe_text import visible_line

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
