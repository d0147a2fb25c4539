"""``callboard serve``: the explorer and the dashboard in a browser. Its libraries are imported when it runs."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import hashlib
import os
import re
import socket
import sys
from collections.abc import Callable, Collection, Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from platformdirs import user_state_path

from registry.accounts.addresses import is_base_url, without_secrets
from registry.catalog.loader import services
from registry.doors.cli_sandbox import own_certificate
from registry.doors.common_options import Commands, add_account, checked_account, count, number
from registry.doors.output import ExitCode, fail, remark, say
from registry.doors.serve.application import ENTRANCE, application
from registry.doors.serve.limits import Limits
from registry.doors.serve.tabs import Shows, Tabs
from registry.doors.serve.terminal_files import terminal_files
from registry.doors.serve.visitors import Visitor, Visitors
from registry.doors.server_log import tell_errors
from registry.engine import open_engine
from registry.files.extras import how_to_install
from registry.files.folders import OURS, private_folder
from registry.files.served import VARIABLE

_SYSTEM = ("PATH", "LANG", "LANGUAGE", "TZ", "TMPDIR", "SYSTEMROOT")
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

_ALWAYS = {
    "TERM": "xterm-256color",
    "COLORTERM": "truecolor",
    "CALLBOARD_CLIPBOARD": "osc52",
    "TEXTUAL_DISABLE_KITTY_KEY": "1",
}


def environment_of(
    folder: Path, given: Mapping[str, str] = os.environ, *, accounts: Collection[str] = (), demo: bool = False, user: str = ""
) -> dict[str, str]:
    """The environment of a tab's program.

    Args:
        folder: the tab's own folder.
        given: the environment of the server.
        accounts: the names of the variables that hold its accounts.
        demo: pass on nothing that belongs to the user who runs the server.
        user: the visitor's name from the proxy; each gets separate state folders. Empty for the user who runs the server.
    """
    names = {*_SYSTEM, *(() if demo else (*_HOME, *accounts))}
    kept = {
        name: value
        for name, value in given.items()
        if (name in names or name.startswith("LC_") or (not demo and name.startswith(_PREFIXES))) and name not in _NEVER
    }
    files = folder / "files"
    kept |= {**_ALWAYS, VARIABLE: str(private_folder(files))}
    if demo:
        home = private_folder(folder / "home")
        kept |= {"HOME": str(home), **_folders(home, ("config", "state", "cache", "data"))}
    elif user:
        kept |= _folders(_folder_of(user), ("state", "cache"))
    return kept


def _folders(below: Path, kinds: Collection[str]) -> dict[str, str]:
    return {f"XDG_{kind.upper()}_HOME": str(private_folder(below / kind)) for kind in kinds}


def _folder_of(user: str) -> Path:
    """The folder of a user; unique even on file systems that treat two names as the same."""
    readable = re.sub(r"[^a-z0-9]+", "-", user.lower()).strip("-")[:40]
    name = f"{readable}-{hashlib.sha256(user.encode()).hexdigest()[:16]}"
    return private_folder(user_state_path(OURS, appauthor=False) / "served" / name)


_LOOPBACK = ("127.0.0.1", "localhost", "::1")
_PORT, _TABS, _IDLE, _LONGEST_END, _MOST_CONNECTIONS = 8410, 20, 60, 5, 512


def add(commands: Commands) -> None:
    """The command's options."""
    serve = commands.add_parser(
        "serve",
        help="serve the explorer and the dashboard to a browser",
        description="Serve the explorer (/) and the on-call dashboard (/oncall) to browsers. Prints a link that lets one "
        "browser in, once. Needs callboard[serve]. See docs/serve.md.",
    )
    serve.add_argument("--port", type=number, default=_PORT, help=f"port (default {_PORT}; 0 picks a free one)")
    serve.add_argument(
        "--host",
        default=_LOOPBACK[0],
        help="name or address to serve on (default 127.0.0.1); others need --tls or --behind-proxy",
    )
    tls = "use https, with the certificate and key in FILE (PEM), or with one that openssl makes at the start"
    serve.add_argument("--tls", nargs="?", const="", metavar="FILE", help=tls)
    serve.add_argument(
        "--behind-proxy", metavar="ORIGIN", help="a proxy serves it at this address, such as https://board.example"
    )
    serve.add_argument(
        "--user-header", metavar="NAME", help="with --behind-proxy: the header with the user that the proxy has signed in"
    )
    serve.add_argument("--read-only", action="store_true", help="block every write and delete")
    add_account(serve, "the account to begin with; tabs get the credentials of no other one from the environment")
    serve.add_argument(
        "--demo", action="store_true", help="a sandbox of its own for each tab, no accounts; one link for everybody"
    )
    serve.add_argument("--tabs", type=count, default=_TABS, metavar="N", help=f"tabs at the same time (default {_TABS})")
    serve.add_argument(
        "--idle", type=count, default=_IDLE, metavar="MINUTES", help=f"end a tab after so long without a key (default {_IDLE})"
    )
    serve.add_argument(
        "--pass-env", action="append", default=[], metavar="NAME", help="also give this variable to the tabs; repeatable"
    )


class Address(NamedTuple):
    """Where it is served: the base of the link, the allowed hosts and origins, and whether browsers use https."""

    base: str
    hosts: Collection[str]
    origins: Collection[str]
    secure: bool


def address_of(host: str, port: int, *, tls: bool, proxy: str | None) -> Address:
    """The address for browsers of a server that listens on a host and port."""
    scheme = "https" if tls else "http"
    names = ("127.0.0.1", "localhost") if host in _LOOPBACK[:2] else (f"[{host}]" if ":" in host else host,)
    usual = port == (443 if tls else 80)
    hosts = [name if usual else f"{name}:{port}" for name in names]
    if proxy is not None:
        return Address(proxy, [*hosts, proxy.partition("//")[2]], [proxy], proxy.startswith("https:"))
    origins = [f"{scheme}://{one}" for one in hosts]
    return Address(origins[0], hosts, origins, tls)


def run(known: argparse.Namespace) -> int:
    """Serve pages until a signal."""
    _check(known)

    if find_spec("websockets") is None or not terminal_files():
        fail("callboard serve needs libraries that are not installed", way_out=f"install {how_to_install('serve')}")
    accounts = _variables(known.connection) if not known.demo else ()
    with contextlib.ExitStack() as held:
        listener = held.enter_context(_listening(known.host, known.port))
        address = address_of(known.host, listener.getsockname()[1], tls=known.tls is not None, proxy=known.behind_proxy)
        certificate = held.enter_context(_certificate(known)) if known.tls is not None else None
        with contextlib.suppress(KeyboardInterrupt):
            asyncio.run(_serve(known, address, listener, certificate, {*accounts, *known.pass_env}))
    return ExitCode.OK


def _check(known: argparse.Namespace) -> None:
    if sys.platform == "win32":
        fail("callboard serve needs pseudo-terminals, which Windows does not have; run it in WSL")
    if not 0 <= known.port <= 65_535:
        fail(f"--port must be a number from 0 to 65535; got {known.port}")
    if known.user_header is not None and known.behind_proxy is None:
        fail("--user-header: only a proxy can be trusted with it; add --behind-proxy ORIGIN")
    if known.user_header is not None and not known.user_header.replace("-", "").isalnum():
        fail(f"--user-header must be the name of a header, such as X-Forwarded-User; got {known.user_header!r}")
    if known.demo and (known.connection or known.user_header or known.pass_env):
        fail("--demo knows no accounts and no users; remove --account, --user-header and --pass-env")
    if known.behind_proxy is not None:
        proxy = known.behind_proxy = known.behind_proxy.rstrip("/").lower()
        if not is_base_url(proxy) or "/" in proxy.partition("://")[2] or not proxy.isascii():
            got = without_secrets(proxy)
            fail(f"--behind-proxy must be scheme and host, such as https://board.example; got {got}")
    elif known.host in ("0.0.0.0", "::"):  # noqa: S104  (refused)
        fail("--host: name the host or the address that browsers use; only that one is answered to")
    elif known.host not in _LOOPBACK and known.tls is None:
        fail(f"--host {known.host}: keys and data would cross the network in the open", way_out="add --tls or --behind-proxy")
    checked_account(known.connection)


def _variables(account: str | None) -> set[str]:
    """The environment variables of the accounts; only those of one account, if it is named."""
    found = {one.name: set(one.variables) for one in services().values()}
    for one in open_engine().account_book.read().found.values():
        found[one.name] = {one.secret.at} if one.secret.kind == "env" else set()
    return found.get(account, set()) if account else set().union(*found.values())


async def _serve(
    known: argparse.Namespace,
    address: Address,
    listener: socket.socket,
    certificate: tuple[Path, Path | None] | None,
    variables: Collection[str],
) -> None:
    import uvicorn

    def environment(folder: Path, visitor: Visitor) -> Mapping[str, str]:
        return environment_of(folder, accounts=variables, demo=known.demo, user=visitor.user)

    limits = Limits(tabs=known.tabs, idle=known.idle * 60.0)
    tabs = Tabs(_command_of(known), environment, limits)
    cookie = f"{'__Host-' if address.secure else ''}callboard-{listener.getsockname()[1]}"
    visitors = Visitors(cookie, (known.user_header or "").lower(), once=not known.demo)
    tell_errors("callboard serve")
    config = uvicorn.Config(
        application(visitors, tabs, address.hosts, address.origins, secure=address.secure),
        ws="websockets-sansio",
        ws_max_size=limits.message,
        ws_per_message_deflate=False,  # needs memory per tab, and compressing keys together with data can reveal the data
        limit_concurrency=_MOST_CONNECTIONS,
        log_config=None,
        log_level="error",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        lifespan="on",
        timeout_graceful_shutdown=_LONGEST_END,
        ssl_certfile=str(certificate[0]) if certificate else None,
        ssl_keyfile=str(certificate[1]) if certificate and certificate[1] else None,
    )
    try:
        config.load()
    except OSError as error:
        fail(f"--tls: {known.tls}: {error.strerror or error}")
    if certificate and certificate[1]:
        certificate[1].unlink()  # loaded, and not needed any more
    _tell(known, address, visitors)
    await uvicorn.Server(config).serve(sockets=[listener])


def _tell(known: argparse.Namespace, address: Address, visitors: Visitors) -> None:
    """Print how to reach the server.

    Printed inside the event loop, so that an interrupt right after it ends the running server.
    """

    def link() -> str:
        return f"{address.base}/" if known.user_header else f"{address.base}{ENTRANCE}{visitors.token()}"

    for_whom = "" if known.user_header else "lets in everybody who opens it" if known.demo else "lets in one browser, once"
    say(f"Serving Callboard (Ctrl+C stops it)\n\n  {link()}\n")
    if for_whom:
        remark(f"The link {for_whom}.")
    sys.stdout.flush()  # a script may wait for it on a pipe
    if for_whom and not known.demo and sys.stdin is not None and sys.stdin.isatty():
        remark("Press Enter for another link.")

        def another() -> None:
            if os.read(0, 1024):
                say(f"  {link()}\n")
                sys.stdout.flush()
            else:
                asyncio.get_running_loop().remove_reader(0)

        asyncio.get_running_loop().add_reader(0, another)


def _command_of(known: argparse.Namespace) -> Callable[[Shows], list[str]]:
    """A function that returns the command of a tab's program."""

    def command(shows: Shows) -> list[str]:
        # -P: do not import modules from the current folder.
        words = [sys.executable, "-P", "-m", "tui", *(["--read-only"] if known.read_only else [])]
        account = ["--account", known.connection] if known.connection else []
        return [*words, "oncall" if shows == "oncall" else "explore", *account]

    return command


@contextlib.contextmanager
def _certificate(known: argparse.Namespace) -> Iterator[tuple[Path, Path | None]]:
    """The user's own certificate, with its key in the same file, or a new one."""
    if known.tls:
        yield Path(known.tls), None
        return

    with own_certificate("" if known.host in _LOOPBACK else known.host) as made:
        yield made


@contextlib.contextmanager
def _listening(host: str, port: int) -> Iterator[socket.socket]:
    try:
        family, kind, protocol, _, where = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except socket.gaierror as error:
        fail(f"--host {host}: {error.strerror}")
    # asyncio sends small responses at once only if the protocol is given.
    with socket.socket(family, kind, protocol) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind(where)
            listener.listen()
        except OSError as error:
            fail(f"{host} port {port} cannot be used: {error.strerror}; choose another one with --port, or 0 for a free one")
        yield listener
