"""``callboard oncall --listen PORT``: serves the dashboard, metrics and calendar until interrupted."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import secrets
import socket
import sys
from collections.abc import Mapping
from ipaddress import ip_address

from registry.accounts.book import AccountBook
from registry.accounts.stores import Secrets
from registry.catalog.loader import services
from registry.doors.oncall_account import account_of, oncall_connection
from registry.doors.oncall_http import LEAST_TOKEN, oncall_application
from registry.doors.output import ExitCode, complain, fail, say
from registry.doors.server_log import tell_errors
from registry.engine import Engine, Sandbox, Settings, open_engine
from registry.files.folders import config_file
from registry.oncall.account import views_of
from registry.oncall.alarm_command import AlarmCommand, WrongCommand, environment_without
from registry.oncall.recorder import recordings_folder
from registry.text.digits import whole
from registry.text.safe_text import visible_line

TOKEN_VARIABLE = "CALLBOARD_ONCALL_TOKEN"
_LOOPBACK = ("127.0.0.1", "localhost", "::1")
_MOST_CONNECTIONS = 64
_LONGEST_END = 5


def address(text: str) -> tuple[str, int]:
    """Where to listen: ``8310``, ``0.0.0.0:8310``, ``[::1]:8310``; on loopback if there is no address."""
    host, colon, number = text.rpartition(":")
    host = host.removeprefix("[").removesuffix("]") if colon else "127.0.0.1"
    try:
        found = str(ip_address("127.0.0.1" if host == "localhost" else host))
    except ValueError:
        found = ""
    port = whole(number)
    if not found or port is None or port > 65_535:
        fail(f"--listen must be a port, or an address and a port, such as 8310 or 0.0.0.0:8310; got {text!r}")
    return found, port


def token_of(environment: Mapping[str, str]) -> str:
    """The token from the environment, or a new one."""
    token = environment.get(TOKEN_VARIABLE, "")
    if not token:
        return secrets.token_urlsafe(32)
    if len(token) < LEAST_TOKEN or not token.isascii() or not token.isprintable() or " " in token:
        fail(f"{TOKEN_VARIABLE} must have at least {LEAST_TOKEN} characters, without spaces")
    return token


def alarm_command(text: str | None, environment: Mapping[str, str]) -> AlarmCommand | None:
    """The command to run on an alarm; None without one."""
    if text is None:
        return None

    credentials = {way.variable for service in services().values() for way in service.authentication if way.variable}
    book = AccountBook(config_file(environment), services(), Secrets(environment))
    credentials |= {one.secret.at for one in book.read().found.values() if one.secret.kind == "env"}
    try:
        return AlarmCommand(text, environment_without(frozenset({*credentials, TOKEN_VARIABLE}), environment), complain)
    except WrongCommand as error:
        fail(str(error))


def listen(known: argparse.Namespace, sandbox: Sandbox) -> int:
    """Serve the dashboards until interrupted."""
    host, port = address(known.listen)
    engine = open_engine(Settings(sandbox=sandbox, journal=False))
    names = list(dict.fromkeys(known.connections or [None]))
    chosen = [oncall_connection(name, engine) for name in names]
    token = token_of(os.environ)
    command = alarm_command(known.on_alarm, os.environ)
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # asyncio sends small responses at once only if the protocol is given.
    with socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, port))
            listener.listen()
        except OSError as error:
            fail(f"{host} port {port} cannot be used: {error.strerror}; choose another one with --listen, or 0 for a free one")
        hosts = [*_LOOPBACK, host, *known.allow_host]
        with contextlib.suppress(KeyboardInterrupt):
            asyncio.run(_serve(engine, chosen, known.every, listener, token, hosts, command))
    return ExitCode.OK


async def _serve(
    engine: Engine,
    names: list[str],
    every: float,
    listener: socket.socket,
    token: str,
    hosts: list[str],
    command: AlarmCommand | None,
) -> None:
    import uvicorn

    folder = recordings_folder(os.environ)
    port = listener.getsockname()[1]
    async with engine:
        accounts = [account_of(engine, name, every, folder) for name in names]
        application = oncall_application(lambda: views_of(accounts), token, hosts, port)
        tell_errors("callboard oncall")
        config = uvicorn.Config(
            application,
            limit_concurrency=_MOST_CONNECTIONS,
            ws="none",  # WebSockets are not used; requests for one get the page
            log_config=None,
            log_level="error",
            access_log=False,  # addresses may contain the token
            server_header=False,
            lifespan="off",
            timeout_graceful_shutdown=_LONGEST_END,
        )
        keeping = [
            asyncio.create_task(one.keep(command.ring if command else None, complain, asyncio.sleep, shifts=True))
            for one in accounts
        ]
        say(welcome(listener.getsockname()[0], port, token, names))
        sys.stdout.flush()  # a script may wait for it on a pipe
        try:
            await uvicorn.Server(config).serve(sockets=[listener])
        finally:
            for task in keeping:
                task.cancel()
            await asyncio.gather(*keeping, return_exceptions=True)
            if command is not None:
                await command.aclose()


def welcome(host: str, port: int, token: str, names: list[str]) -> str:
    """The text printed at the start: the addresses, and how to authenticate."""
    place = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    accounts = ", ".join(visible_line(name) for name in names)
    lines = [
        f"Serving the on-call dashboard of {accounts}, read-only (Ctrl+C stops it)",
        "",
        f"  page      http://{place}/?token={token}",
        f"  metrics   http://{place}/metrics     (Authorization: Bearer {token})",
        f"  JSON      http://{place}/board.json",
    ]
    if not ip_address(host).is_loopback:
        lines += ["", "  Not encrypted: put it behind an HTTPS server, and pass its host name with --allow-host."]
    return "\n".join([*lines, ""])
