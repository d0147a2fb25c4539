"""``callboard mcp``: the tools for agents, over the Model Context Protocol. Its libraries are imported when it runs."""

import argparse
import asyncio
import contextlib
import json
import os
import shlex
import shutil
import stat
import sys
from importlib.util import find_spec
from pathlib import Path

from registry.doors import ending
from registry.doors.cli_parser import SEVERAL_ACCOUNTS, Options, count
from registry.doors.listening import listening, welcome
from registry.doors.mcp.agent_tools import AgentTools
from registry.doors.output import ExitCode, fail, remark, say
from registry.engine import Settings, open_engine
from registry.files.folders import AGENTS, how_to_install
from registry.journal.store import AGENTS_TOKEN, state_file

CLIENTS = ("claude-code", "claude-desktop", "codex", "cursor", "vscode", "zed")
_LEAST, _BUDGET = 500, 6_000


OPTIONS: Options = {
    "mcp": {
        "--tools": {"default": "compact"},
        "--account": SEVERAL_ACCOUNTS,
        "--print-config": {"choices": CLIENTS},
        "--budget": {"type": count, "default": _BUDGET},
    }
}


def run(known: argparse.Namespace) -> int:
    """Serve one client until it disconnects, or print the configuration for one."""
    if known.budget < _LEAST:
        fail(f"--budget must be at least {_LEAST} tokens; got {known.budget}")
    if known.print_config is not None:
        if known.port is not None:
            fail("--print-config is for a client that starts callboard mcp itself; remove --port")
        return say(_config(known.print_config, _arguments(known)))
    if find_spec("mcp") is None:
        fail("callboard mcp needs a library that is not installed", way_out=f"install {how_to_install('mcp')}")
    if known.files is not None and not Path(known.files).expanduser().is_dir():
        fail(f"--files must be a folder; {known.files} is not one")
    from registry.doors.mcp.server import PATH, caller, made, offers, serve, served, token_in

    engine = open_engine(Settings(read_only=known.read_only, caller=caller, tell=remark))
    if engine.problem:
        fail(engine.problem)
    agent_tools = AgentTools(engine, known.connection or (), known.budget, allow_writes=known.allow_writes)
    mcp = made(agent_tools, offers(engine.catalog, known.tools, read_only=known.read_only))
    if known.port is None:
        mode = os.fstat(sys.stdin.fileno()).st_mode
        # Nothing waits for messages of a file or of /dev/null.
        if not (stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) or sys.stdin.isatty()):
            way_out = "have a client start it (--print-config CLIENT prints how), or serve over HTTP (--port PORT)"
            fail("callboard mcp talks to its client through a pipe; standard input is none", way_out=way_out)
    os.environ[AGENTS] = known.files or ""
    if known.port is None:
        ending.run(serve(mcp), engine)
        return ExitCode.OK
    file = state_file(AGENTS_TOKEN, engine.settings.state)
    token = token_in(file)
    with listening("127.0.0.1", known.port) as listener, contextlib.suppress(KeyboardInterrupt):
        number = listener.getsockname()[1]

        async def over_http() -> None:
            welcome(
                f"Serving the tools to agents on http://127.0.0.1:{number}{PATH} (Ctrl+C stops it)\n"
                f"Clients must send the token in {file} as Authorization: Bearer TOKEN."
            )
            async with engine:
                await served(mcp, token, number).serve(sockets=[listener])

        asyncio.run(over_http())
    return ExitCode.OK


def _arguments(known: argparse.Namespace) -> list[str]:
    """The options of this command, for a configuration that starts it."""
    return [
        "mcp",
        *(["--tools", known.tools] if known.tools != "compact" else ()),
        *(word for name in known.connection or () for word in ("--account", name)),
        *(["--budget", str(known.budget)] if known.budget != _BUDGET else ()),
        *(["--files", known.files] if known.files is not None else ()),
        *["--read-only"] * known.read_only,
        *["--allow-writes"] * known.allow_writes,
    ]


def _config(client: str, arguments: list[str]) -> str:
    """The configuration of a client. A line that begins with # names its file."""
    program = shutil.which("callboard") or "callboard"
    if client == "claude-code":
        return f"claude mcp add callboard -- {shlex.join([program, *arguments])}"
    if client == "codex":
        command, words = (json.dumps(one, ensure_ascii=False) for one in (program, arguments))
        return f"# ~/.codex/config.toml\n[mcp_servers.callboard]\ncommand = {command}\nargs = {words}"
    start: dict[str, object] = {"command": program, "args": arguments}
    if client == "vscode":
        return json.dumps({"servers": {"callboard": {"type": "stdio", **start}}}, indent=2, ensure_ascii=False)
    member = "context_servers" if client == "zed" else "mcpServers"
    return json.dumps({member: {"callboard": start}}, indent=2, ensure_ascii=False)
