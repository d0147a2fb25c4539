"""``callboard oncall``: the on-call dashboard: on the screen, printed, served, recorded and replayed."""

import argparse
import asyncio
import contextlib
import hmac
import json
import os
import re
import secrets
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from hashlib import sha256
from ipaddress import ip_address
from pathlib import Path

from starlette.applications import Starlette
from starlette.requests import HTTPConnection, Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from registry.catalog.service import LOOPBACK
from registry.doors.cli_parser import SEVERAL_ACCOUNTS, Options, account_variables, application_of
from registry.doors.listening import gate, has_token, listening, server, welcome
from registry.doors.oncall_print import account_of, board_lines, oncall_connection, print_board, views_as_json
from registry.doors.output import ExitCode, complain, fail, is_terminal, say, say_values
from registry.engine import Sandbox, Settings, open_engine
from registry.oncall import formats
from registry.oncall.account import AccountView, views_of
from registry.oncall.alarms import AlarmCommand, WrongCommand
from registry.oncall.board import board
from registry.oncall.formats import POLICY, page
from registry.oncall.formats import as_json as values
from registry.oncall.model import ONCE, iso_or_none, past, stamp
from registry.oncall.recording import Heading, NoRecording, Recorder, Replay, read_file, recordings_folder
from registry.text.shown import counted, visible_json, visible_line, whole

TOKEN_VARIABLE = "CALLBOARD_ONCALL_TOKEN"


OPTIONS: Options = {
    "oncall": {
        "--every": {"default": 15.0},
        "--account": SEVERAL_ACCOUNTS,
        "--listen": {"type": str},
        "--deadline": {"default": ONCE},
    }
}


def run(options: argparse.Namespace) -> int:
    """Open the dashboard, print it, serve it, or show or save a recording; returns the exit code."""
    application, explore = application_of(options), options.screens.get("explore")
    names = list(dict.fromkeys(options.connection or [None]))
    printed = options.json or options.watch
    if options.json and (options.listen or options.export):
        fail("--json cannot be combined with --listen or --export")
    if options.on_alarm and (printed or options.replay or options.export):
        fail("--on-alarm works only with the dashboard or --listen")
    if len(names) > 1 and (options.watch or options.export):
        fail("--watch and --export take one --account; the dashboard, --listen, text and JSON take several")
    if options.listen is not None:
        return listen(names, application, options)
    if options.export is not None:
        recorder = Recorder(recordings_folder(os.environ), Heading(oncall_connection(names[0], open_engine()), ""))
        try:
            size = recorder.export(Path(options.export))
        except NoRecording as error:
            return complain(f"nothing to export: {error}; only the dashboard and --listen record")
        except FileExistsError:
            fail(f"{options.export} already exists; nothing was written")
        return say(f"{options.export}: {size:,} bytes; callboard oncall --replay {options.export} shows it")
    on_screen = explore is not None and not printed and is_terminal()
    if options.replay is not None:
        try:
            replay = read_file(Path(options.replay))
            return (
                int(explore(application, oncall="", replay=replay)) if on_screen else print_replay(replay, as_json=options.json)
            )
        except NoRecording as error:
            fail(f"cannot replay {options.replay}: {error}")
    if not on_screen:
        return print_board(names, application, options)
    accounts = [oncall_connection(name, open_engine()) for name in names]
    return int(
        explore(
            application,
            oncall=accounts[0],
            every=options.every,
            read_only=options.read_only,
            on_alarm=alarm_command(options.on_alarm, os.environ),
            accounts=accounts if len(accounts) > 1 else [],
        )
    )


def print_replay(replay: Replay, *, as_json: bool) -> int:
    """Print the recording; returns the exit code of its last moment."""
    changes: list[tuple[float, str]] = []
    for number in range(len(replay)):
        frame = replay.frame(number)
        made = board(frame.facts, frame.at)
        view = AccountView(frame.heading.account, frame.heading.mode, made, frame.interval)
        if not changes or changes[-1][1] != view.steady_title:
            changes.append((frame.at, view.steady_title))
    first, last = replay.moments[0], replay.moments[-1]
    if as_json:
        facts = {"past": True, "account": view.name, "first": iso_or_none(first), "last": iso_or_none(last)}
        verdicts = [{"at": iso_or_none(at), "verdict": words} for at, words in changes]
        say_values({**facts, "refreshes": len(replay), "verdicts": verdicts, "board": values(made)})
        return view.code
    zone = view.zone
    span = f"{stamp(first, zone)} to {stamp(last, zone)}"
    say(f"PAST: recording of {view.label}, {counted(len(replay), 'refresh', 'refreshes')}, {span}. Nothing here is live.\n")
    say("\n".join(visible_line(f"{past(at, zone)}  {words}") for at, words in changes) + "\n")
    prefix = past(frame.at, zone)
    say("\n".join(f"{prefix}  {line}" if line else "" for line in board_lines(made, frame.interval)))
    return view.code


# Served to browsers and to Prometheus


_HOST = re.compile(r"(?:\[([0-9a-f:.]+)\]|([^:@\[\]]+?)\.?)(?::[0-9]+)?")
"""A ``Host`` header: an IPv6 address or a name, with or without a port."""

LEAST_TOKEN = 16
"""Characters that a user's own token must have."""
_COOKIE_FOR = 30 * 86_400
_MOST_CONNECTIONS = 64


def oncall_application(
    views: Callable[[], Awaitable[Sequence[AccountView]]], token: str, hosts: Iterable[str], port: int
) -> ASGIApp:
    """The ASGI application; it refuses requests without the token, and those under other host names (without a port).

    421 the host is not allowed · 405 the method would change something · 401 no token, or a wrong one
    """
    allowed = frozenset(host.lower().rstrip(".") for host in hosts)
    cookie = f"callboard_oncall_{port}"
    # The cookie is not the token: someone who reads it cannot use it as a token elsewhere.
    ticket = hmac.new(token.encode(), b"callboard on-call page", sha256).hexdigest()

    async def html(_: Request) -> Response:
        return Response(page(await views()), media_type="text/html; charset=utf-8", headers={"Content-Security-Policy": POLICY})

    async def metrics(_: Request) -> Response:
        return Response(formats.openmetrics(await views()), headers={"Content-Type": formats.CONTENT_TYPE})

    async def values(_: Request) -> Response:
        text = visible_json(json.dumps(views_as_json(await views()), ensure_ascii=False))
        return Response(text, media_type="application/json")

    def refusal(request: HTTPConnection) -> Response | None:
        host = _HOST.fullmatch(request.headers.get("host", "").lower())
        if host is None or (host[1] or host[2]) not in allowed:
            return PlainTextResponse("This host name is not allowed; start with --allow-host NAME to allow it.\n", 421)
        if request.scope["method"] not in ("GET", "HEAD"):
            return PlainTextResponse("Only GET and HEAD: this dashboard cannot change anything.\n", 405, {"Allow": "GET, HEAD"})
        if has_token(request, token):
            return None
        if hmac.compare_digest(request.query_params.get("token", "").encode("utf-8", "surrogatepass"), token.encode()):
            if request.url.path != "/":
                return None
            response = RedirectResponse("/", 303)
            response.set_cookie(cookie, ticket, max_age=_COOKIE_FOR, httponly=True, samesite="lax")
            return response
        if hmac.compare_digest(request.cookies.get(cookie, "").encode(), ticket.encode()):
            return None
        words = "Send the token as Authorization: Bearer TOKEN, or once as /?token=TOKEN.\n"
        return PlainTextResponse(words, 401, {"WWW-Authenticate": 'Bearer realm="callboard"'})

    return gate(Starlette(routes=[Route("/", html), Route("/metrics", metrics), Route("/board.json", values)]), refusal)


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
    secrets = {TOKEN_VARIABLE}.union(*account_variables().values())
    try:
        return AlarmCommand(text, {name: value for name, value in environment.items() if name not in secrets}, complain)
    except WrongCommand as error:
        fail(str(error))


def listen(names: Sequence[str | None], sandbox: Sandbox, known: argparse.Namespace) -> int:
    """Serve the dashboards until interrupted."""
    host, port = address(known.listen)
    engine = open_engine(Settings(sandbox=sandbox, journal=False))
    chosen = [oncall_connection(name, engine) for name in names]
    token = token_of(os.environ)
    command = alarm_command(known.on_alarm, os.environ)
    with listening(host, port, "--listen") as listener, contextlib.suppress(KeyboardInterrupt):
        port = listener.getsockname()[1]
        place = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        in_the_open = "\n  Not encrypted: put it behind an HTTPS server, and pass its host name with --allow-host.\n"
        lines = (
            f"Serving the on-call dashboard of {', '.join(map(visible_line, chosen))}, read-only (Ctrl+C stops it)",
            "",
            f"  page      http://{place}/?token={token}",
            f"  metrics   http://{place}/metrics     (Authorization: Bearer {token})",
            f"  JSON      http://{place}/board.json",
            "" if ip_address(host).is_loopback else in_the_open,
        )

        async def work() -> None:
            folder = recordings_folder(os.environ)
            async with engine:
                accounts = [account_of(engine, name, known.every, folder) for name in chosen]
                serving = server(
                    oncall_application(lambda: views_of(accounts), token, [*LOOPBACK, host, *known.allow_host], port),
                    "callboard oncall",
                    limit_concurrency=_MOST_CONNECTIONS,
                    ws="none",  # WebSockets are not used; requests for one get the page
                    lifespan="off",
                )
                ring = command.ring if command else None
                keeping = [asyncio.create_task(one.keep(ring, complain, asyncio.sleep)) for one in accounts]
                welcome("\n".join(lines))
                try:
                    await serving.serve(sockets=[listener])
                finally:
                    for task in keeping:
                        task.cancel()
                    await asyncio.gather(*keeping, return_exceptions=True)
                    if command is not None:
                        await command.aclose()

        asyncio.run(work())
    return ExitCode.OK
