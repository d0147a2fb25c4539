"""``callboard doctor``: everything needed to find out why something does not work, safe to paste into a ticket.

The report shows the setup of this machine, its files, its network and the accounts. For credentials it has the environment
variable and the hosts that they are sent to, never their text. Hosts are asked for their time without a credential.
"""

import argparse
import asyncio
import json
import os
import platform
import re
import shutil
import sqlite3
import stat
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from email.utils import parsedate_to_datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import getproxies

import httpx
from platformdirs import user_cache_path, user_data_path, user_state_path

from registry import __version__
from registry.accounts.connection import SANDBOX_URL, Connection, Endpoint
from registry.accounts.renewed import RenewedSecret
from registry.calling.failures import BadProxy
from registry.calling.network import outside_client, proxy_for
from registry.catalog.loader import Catalog
from registry.catalog.shared_folders import KINDS, shared_files, shared_setting
from registry.doors import ending
from registry.doors.cli_parser import Options
from registry.doors.output import ExitCode, complain, flush, remark, say
from registry.engine import Engine, open_engine
from registry.files.folders import config_file, reason
from registry.files.streams import OutputFailed
from registry.journal.store import AUDIT, HISTORY, state_file
from registry.pages.definition import SharedPages
from registry.saved.store import shared_calls
from registry.text.shown import counted, visible_line

Report = dict[str, Any]

_PACKAGES = ("textual", "httpx", "pydantic", "msgspec", "pyarrow", "keyring", "duckdb")
_TERMINAL = ("TERM", "COLORTERM", "TERM_PROGRAM", "LANG", "LC_ALL", "NO_COLOR", "TMUX", "SSH_CONNECTION")
_ROOM = 1_000_000
"""The fewest free bytes with which calls can be recorded."""

_PATIENCE = 5.0
_MOST_SKEW = 30.0
"""Seconds of clock skew that are a problem: relative times, and tokens, depend on the clock."""

_ADDRESS = re.compile(r"(?:[a-z0-9]{0,10}://)?(?:\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::[0-9]{1,5})?", re.IGNORECASE)
_HOSTS = re.compile(r"[ a-z0-9.*_:/\[\]-]*", re.IGNORECASE)


OPTIONS: Options = {"doctor": {}}


def run(options: argparse.Namespace) -> int:
    """Print the report; the exit code says whether there are problems."""
    found = ending.run(_examined(offline=options.offline))
    problems = found["problems"]
    try:
        say(json.dumps(found, indent=2) if options.json else "\n".join(map(visible_line, _lines(found))))
        flush()
    except OutputFailed:  # a full disk may be what the report is wanted for
        for problem in problems:
            complain(problem)
        raise
    if problems:
        remark(f"{counted(len(problems), 'problem')} found; see the end of the report.")
    return ExitCode.SERVICE if problems else ExitCode.OK


async def _examined(*, offline: bool) -> Report:
    """The report as JSON values by section, and all ``problems`` as sentences. `offline`: contact no host."""
    async with open_engine() as engine:
        problems = [*([engine.problem] if engine.problem else []), *engine.account_wrongs, *map(str, engine.catalog.problems)]
        found_files = await asyncio.to_thread(_files)
        found_proxies, wrong = _proxies()
        found_accounts = accounts(engine.connections.values(), usable=not wrong)
        named = dict.fromkeys(host["address"] for one in found_accounts for host in one["hosts"])
        asked = () if offline or wrong else (_asked(one) for one in named if not one.startswith(SANDBOX_URL))
        hosts = await asyncio.gather(*asked)
        shared = await asyncio.to_thread(_shared, engine.catalog, problems)
        problems += [*([wrong] if wrong else []), *(one["problem"] for one in (*found_files, *hosts) if one["problem"])]
        versions = {"callboard": __version__, "python": platform.python_version(), "sqlite": sqlite3.sqlite_version}
        for package in _PACKAGES:
            with suppress(PackageNotFoundError):
                versions[package] = version(package)
        report: Report = {
            "versions": {**versions, "system": platform.platform()},
            "terminal": _terminal(),
            "files": found_files,
            "proxies": found_proxies,
            "accounts": found_accounts,
            "hosts": hosts,
            **({"shared": shared} if shared else {}),
            "problems": list(dict.fromkeys(problems)),
        }
        return _cleaned(report, engine)


def _lines(report: Report) -> Iterator[str]:
    """The report as lines for people."""
    accounts = []
    for one in report["accounts"]:
        hosts = (f"  to {each['address']}, {each['way']}" for each in one["hosts"])
        accounts += [f"{one['account']}: {one['toolkit']} ({one['mode']}), credential {one['credential']}", *hosts]
    shared = []
    for one in report.get("shared", ()):
        counts = ", ".join(f"{count} in {kind}" for kind, count in one["files"].items() if count) or "no files"
        shared.append(f"{one['name'].ljust(12)} {one['address']}: {counts}")
    sections = {
        "Versions": [f"{key.ljust(12)} {value}" for key, value in report["versions"].items()],
        "Terminal": [f"{key.ljust(12)} {value}" for key, value in report["terminal"].items()],
        "Files": [f"{one['what'].ljust(12)} {one['mode'] or 'none'.ljust(4)}  {one['path']}" for one in report["files"]],
        "Proxies": [f"{name.ljust(12)} {address}" for name, address in report["proxies"].items()] or ["none"],
        "Accounts": accounts,
        "Hosts (contacted without credentials)": [f"{one['address']}: {one['said']}" for one in report["hosts"]],
        "Shared folders": shared,
    }
    for heading, lines in sections.items():
        if lines:
            yield from (heading, *(f"  {line}" for line in lines), "")
    yield "Problems" if report["problems"] else "No problems found."
    yield from (f"  ✗ {problem}" for problem in report["problems"])


def _terminal() -> dict[str, str]:
    streams = {"input": sys.stdin, "output": sys.stdout, "error": sys.stderr}
    size = shutil.get_terminal_size((0, 0))
    # For TMUX and SSH_CONNECTION only whether they are set: they contain paths and addresses.
    kept = {name: os.environ[name] for name in _TERMINAL if os.environ.get(name)}
    return {
        **{name: "a terminal" if stream.isatty() else "no terminal" for name, stream in streams.items()},
        "size": f"{size.columns}×{size.lines}" if size.columns else "unknown",
        "encoding": getattr(sys.stdout, "encoding", None) or "unknown",
        **{name: "yes" if name in ("TMUX", "SSH_CONNECTION") else value[:60] for name, value in kept.items()},
    }


def _files() -> list[dict[str, Any]]:
    """For each: ``what`` it is, its ``path``, its ``mode`` in octal (None if it does not exist), and a ``problem`` or None."""
    paths = {
        "state": user_state_path("callboard"),
        "cache": user_cache_path("callboard"),
        "data": user_data_path("callboard"),
        "history": state_file(HISTORY),
        "audit log": state_file(AUDIT),
        "settings": config_file(os.environ),
    }
    found = []
    for what, path in paths.items():
        mode = problem = None
        try:
            state = path.stat()
            mode, problem = f"{stat.S_IMODE(state.st_mode):04o}", _state_problem(what, path, state)
        except FileNotFoundError:
            pass
        except OSError as error:
            problem = reason(error, path)
        problem = problem or (_no_room(path) if what in ("state", "cache") else None)
        found.append({"what": what, "path": str(path), "mode": mode, "problem": problem and f"{what}: {problem}"})
    return found


def _state_problem(what: str, path: Path, state: os.stat_result) -> str | None:
    is_ours = what != "settings"
    if is_ours and state.st_mode & 0o077:
        return f"other users can read {path} (mode {stat.S_IMODE(state.st_mode):04o}); fix it with chmod go= {path}"
    if not os.access(path, os.R_OK | os.W_OK if is_ours else os.R_OK):
        return f"you have no read and write permission for {path}"
    is_file = what in ("history", "audit log", "settings")
    return f"{path} is not a file" if is_file and not stat.S_ISREG(state.st_mode) else None


def _no_room(path: Path) -> str | None:
    """Why nothing can be written into a folder, which may not exist yet; None if it can."""
    there = next(one for one in (path, *path.parents) if os.path.lexists(one))
    if not there.is_dir():
        return f"{path} cannot be created: {there} is no folder, or a link to none"
    if not os.access(there, os.W_OK | os.X_OK):
        return f"{path} cannot be written: you have no write permission for {there}, or its disk is read-only"
    free = shutil.disk_usage(there).free
    return f"the disk of {path} is full ({free:,} bytes are free); free some room on it" if free < _ROOM else None


def _shared(catalog: Catalog, problems: list[str]) -> list[dict[str, Any]]:
    """The team's shared folders; adds their problems. Reads files; does not use the network."""
    folders, wrong = shared_setting(os.environ)
    pages = SharedPages(lambda: folders)
    pages.read()
    shared_calls(folders, catalog, problems)
    problems += [*wrong, *pages.problems]
    return [
        {"name": one.name, "address": str(one.path), "files": {kind: len(shared_files(kind, [one]).files) for kind in KINDS}}
        for one in folders
    ]


def _proxies() -> tuple[dict[str, str], str]:
    """The proxies in the environment, without user names and passwords; and why they cannot be used, or an empty text."""
    found = {f"{name.upper()}_PROXY": _shown(address) for name, address in getproxies().items() if name != "no"}
    if exempt := getproxies().get("no"):
        found["NO_PROXY"] = ",".join(one if _HOSTS.fullmatch(one) else "…" for one in exempt.split(","))
    try:
        outside_client(httpx.Timeout(_PATIENCE))
    except BadProxy as error:
        return found, str(error)
    return found, ""


def accounts(connections: Iterable[Connection], *, usable: bool) -> list[dict[str, Any]]:
    """For each account and toolkit: where its ``credential`` comes from, to which ``hosts`` it is sent, and how.

    That is unknown if the proxies are not `usable`.
    """
    found = []
    for connection, toolkit, endpoint in ((one, *each) for one in connections for each in one.endpoints.items()):
        credential = endpoint.credential
        renewing = credential.travels_to if isinstance(credential, RenewedSecret) else ()
        starts = endpoint.service.mcp is not None and endpoint.service.mcp.command
        addresses = () if starts else endpoint.addresses.values()  # a program is not a host
        parts = (urlsplit(address) for address in (*addresses, *renewing))
        hosts = dict.fromkeys(f"{one.scheme}://{one.netloc}" for one in parts)
        found.append(
            {
                "account": connection.name,
                "toolkit": toolkit,
                "mode": endpoint.mode,
                "credential": source_of(endpoint),
                "hosts": [{"address": one, "way": _way_to(one) if usable else "unknown"} for one in hosts],
            }
        )
    return found


def _way_to(address: str) -> str:
    """How requests reach an address: inside this program, directly, or through a proxy."""
    if address.startswith(SANDBOX_URL):
        return "inside this program"
    try:
        proxy = proxy_for(address)
    except UnicodeError:  # such as xn--a
        return "nowhere: it is not a valid host name"
    return f"through the proxy {_shown(proxy)}, which sees the host name but no credential" if proxy else "directly"


def source_of(endpoint: Endpoint) -> str:
    """Where an endpoint's credential comes from, in words that contain no part of the credential."""
    if endpoint.public:
        return "is public"
    source = endpoint.source or " and ".join(name for name in endpoint.authentication.variables if name)
    return f"from {source}" if source else "is not needed"


async def _asked(address: str) -> dict[str, Any]:
    """The time of a host, requested without a credential: ``address``, ``said``, ``skew`` in seconds, ``problem``."""
    began, skew, is_wrong = time.time(), None, False
    try:
        async with outside_client(httpx.Timeout(_PATIENCE)) as client, asyncio.timeout(2 * _PATIENCE):
            response = await client.head(address, headers={"user-agent": "callboard doctor"})
        moment = parsedate_to_datetime(response.headers["date"]).timestamp()
    except (httpx.HTTPError, httpx.InvalidURL, TimeoutError, BadProxy, OSError, UnicodeError) as error:
        said, is_wrong = f"not reached ({type(error).__name__})", True
    except (KeyError, ValueError, OverflowError):
        said = "reached; it sends no time"
    else:
        skew = round(moment - (began + time.time()) / 2)
        is_wrong, side = abs(skew) > _MOST_SKEW, "behind" if skew > 0 else "ahead"
        said = "reached; the clocks agree" if abs(skew) < 2 else f"reached; this computer's clock is {abs(skew)} s {side}"
    return {"address": address, "said": said, "skew": skew, "problem": f"{address}: {said}" if is_wrong else None}


def _shown(address: str) -> str:
    """A proxy's address without user name and password."""
    scheme, slashes, rest = address.rpartition("://")
    host = rest.rpartition("@")[2].partition("/")[0]
    if not _ADDRESS.fullmatch(f"{scheme}{slashes}{host}"):
        return "…"  # any part of it may be a password
    return f"{scheme}{slashes}{'…@' if '@' in rest else ''}{host}"


def _cleaned(report: Report, engine: Engine) -> Report:
    """The report without credentials, and with ``~`` for the home folder."""
    content = json.dumps(report, ensure_ascii=False).encode("utf-8", "backslashreplace")
    for endpoint in (one for each in engine.connections.values() for one in each.endpoints.values()):
        content = endpoint.hide(content)
    text = content.decode()
    homes = {home for home in (os.path.expanduser("~"), os.environ.get("HOME", "")) if len(home) > 1}
    for home in sorted(homes, key=len, reverse=True):
        text = text.replace(home, "~")
    cleaned: Report = json.loads(text)
    return cleaned
