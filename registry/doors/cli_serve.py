"""``callboard serve``: the explorer and the dashboard in a browser. Its libraries are imported when it runs."""

import argparse
import asyncio
import contextlib
import os
import socket
import sys
from collections.abc import Collection, Mapping
from functools import partial
from importlib.util import find_spec
from pathlib import Path

from registry.accounts.connection import is_base_url, without_secrets
from registry.catalog.service import LOOPBACK
from registry.doors.cli_parser import Options, account_variables, count
from registry.doors.cli_sandbox import own_certificate
from registry.doors.listening import listening, server, welcome
from registry.doors.output import ExitCode, fail, remark
from registry.doors.serve.application import ENTRANCE, Visitors, application, terminal_files
from registry.doors.serve.tab import LONGEST_MESSAGE, Shows, Tabs
from registry.engine import open_engine
from registry.files.folders import VARIABLE, how_to_install, private_folder

_SYSTEM = ("PATH", "LANG", "LANGUAGE", "TZ", "TMPDIR")
_HOME = (
    "HOME",
    "USER",
    "LOGNAME",
    "DBUS_SESSION_BUS_ADDRESS",  # for system keyrings
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    *(name for one in ("http_proxy", "https_proxy", "all_proxy", "no_proxy") for name in (one, one.upper())),
)
_PREFIXES = ("XDG_", "CALLBOARD_")
_NEVER = ("CALLBOARD_ONCALL_TOKEN", "CALLBOARD_SCREEN_READER")
"""A secret of another command, and settings that only make sense in the server's own terminal."""

_ALWAYS = {"TERM": "xterm-256color", "COLORTERM": "truecolor", "TEXTUAL_DISABLE_KITTY_KEY": "1"}


def environment_of(
    folder: Path, given: Mapping[str, str] = os.environ, *, accounts: Collection[str] = (), demo: bool = False
) -> dict[str, str]:
    """The environment of the program of a tab with its own folder, from that of the server.

    It gets the variables that hold its `accounts`; as a demo nothing that belongs to the user who runs the server.
    """
    names = {*_SYSTEM, *(() if demo else (*_HOME, *accounts))} - set(_NEVER)
    prefixes = ("LC_", *(() if demo else _PREFIXES))
    kept = {name: value for name, value in given.items() if name in names or (name.startswith(prefixes) and name not in _NEVER)}
    kept |= {**_ALWAYS, VARIABLE: str(private_folder(folder / "files"))}
    if demo:
        home = private_folder(folder / "home")
        folders = {f"XDG_{kind.upper()}_HOME": private_folder(home / kind) for kind in ("config", "state", "cache", "data")}
        kept |= {name: str(value) for name, value in {"HOME": home, **folders}.items()}
    return kept


_MOST_CONNECTIONS = 512

OPTIONS: Options = {
    "serve": {
        "--port": {"default": 8410},
        "--host": {"default": LOOPBACK[0]},
        "--tls": {"const": ""},
        "--tabs": {"default": 20},
        "--idle": {"type": count, "default": 60},
    }
}


def addresses_of(host: str, port: int, *, tls: bool, proxy: str | None) -> tuple[list[str], list[str]]:
    """The hosts that requests may name, and the origins of pages, the first for the link, of a server on a host and port."""
    scheme = "https" if tls else "http"
    names = ("127.0.0.1", "localhost") if host in LOOPBACK[:2] else (f"[{host}]" if ":" in host else host,)
    hosts = [name if port == (443 if tls else 80) else f"{name}:{port}" for name in names]
    if proxy is not None:
        return [*hosts, proxy.partition("//")[2]], [proxy]
    return hosts, [f"{scheme}://{one}" for one in hosts]


def run(known: argparse.Namespace) -> int:
    """Serve pages until a signal."""
    _check(known)
    if find_spec("websockets") is None or not terminal_files():
        fail("callboard serve needs libraries that are not installed", way_out=f"install {how_to_install('serve')}")
    found = account_variables() if not known.demo else {}
    accounts = found.get(known.connection, set()) if known.connection else set().union(*found.values())
    with contextlib.ExitStack() as held:
        listener = held.enter_context(listening(known.host, known.port))
        certificate: tuple[Path | None, Path | None] = (None, None)
        if known.tls:  # the user's own, with its key in the same file
            certificate = Path(known.tls), None
        elif known.tls is not None:
            certificate = held.enter_context(own_certificate("" if known.host in LOOPBACK else known.host))
        with contextlib.suppress(KeyboardInterrupt):
            asyncio.run(_serve(known, listener, certificate, {*accounts, *known.pass_env}))
    return ExitCode.OK


def _check(known: argparse.Namespace) -> None:
    if known.demo and (known.connection or known.pass_env):
        fail("--demo knows no accounts; remove --account and --pass-env")
    if known.behind_proxy is not None:
        proxy = known.behind_proxy = known.behind_proxy.rstrip("/").lower()
        if not is_base_url(proxy) or "/" in proxy.partition("://")[2] or not proxy.isascii():
            fail(f"--behind-proxy must be scheme and host, such as https://board.example; got {without_secrets(proxy)}")
    elif known.host in ("0.0.0.0", "::"):  # noqa: S104  (refused)
        fail("--host: name the host or the address that browsers use; only that one is answered to")
    elif known.host not in LOOPBACK and known.tls is None:
        fail(f"--host {known.host}: keys and data would cross the network in the open", way_out="add --tls or --behind-proxy")
    if known.connection:
        open_engine().connection(known.connection)  # ends the command if it cannot be used


async def _serve(
    known: argparse.Namespace,
    listener: socket.socket,
    certificate: tuple[Path | None, Path | None],
    variables: Collection[str],
) -> None:
    def command(shows: Shows) -> list[str]:
        # -P: do not import modules from the current folder.
        words = [sys.executable, "-P", "-m", "tui", *(["--read-only"] if known.read_only else [])]
        return [*words, shows, *(["--account", known.connection] if known.connection else [])]

    port = listener.getsockname()[1]
    hosts, origins = addresses_of(known.host, port, tls=known.tls is not None, proxy=known.behind_proxy)
    secure = origins[0].startswith("https:")
    visitors = Visitors(f"{'__Host-' if secure else ''}callboard-{port}", once=not known.demo)
    tabs = Tabs(
        command,
        partial(environment_of, accounts=variables, demo=known.demo),
        most=known.tabs,
        idle=known.idle * 60.0,
    )
    serving = server(
        application(visitors, tabs, hosts, origins, secure=secure),
        "callboard serve",
        certificate,
        ws="websockets-sansio",
        ws_max_size=LONGEST_MESSAGE,
        ws_per_message_deflate=False,  # needs memory per tab, and compressing keys together with data can reveal the data
        limit_concurrency=_MOST_CONNECTIONS,
        proxy_headers=False,
        lifespan="on",
    )

    def link() -> str:
        return f"{origins[0]}{ENTRANCE}{visitors.token()}"

    welcome(f"Serving Callboard (Ctrl+C stops it)\n\n  {link()}\n")
    remark(f"The link lets in {'everybody who opens it' if known.demo else 'one browser, once'}.")
    if not known.demo and sys.stdin.isatty():
        remark("Press Enter for another link.")
        loop = asyncio.get_running_loop()

        def another() -> None:
            if os.read(0, 1024):
                welcome(f"  {link()}\n")
            else:
                loop.remove_reader(0)

        loop.add_reader(0, another)
    await serving.serve(sockets=[listener])
