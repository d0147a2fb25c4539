"""``make conformance``: the protocol's conformance suite against the door, and the tokens of its lists.

It needs npm, and node 22.19 or newer. What it takes from npm is pinned below, and put into a folder that is removed at the end.
"""

import asyncio
import json
import os
import socket
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

REVISION = "2026-07-28"
_PACKAGES = ("@modelcontextprotocol/conformance@0.2.0-alpha.12", "gpt-tokenizer@4.0.0")
_TOKEN = "a token for conformance"
_MOST_TOKENS = {"compact": 1_500, "all": 45_000}
_LONGEST = 600.0

AT_THE_DOOR = (
    "server-stateless",
    "tools-list",
    "server-sse-multiple-streams",
    "prompts-list",
    "dns-rebinding-protection",
    "caching",
    "input-required-result-unsupported-methods",
    "http-header-validation",
)
"""Scenarios that need no fixture tools. The last one is not required by the revision yet."""

NEED_A_FIXTURE = {
    *("sep-2575-server-rejects-undeclared-capability", "sep-2575-missing-capability-http-400"),
    *("sep-2549-resources-list-caching-hints", "sep-2549-resources-templates-list-caching-hints"),
}
"""Checks that call the tool ``test_missing_capability`` or list resources; the door has neither."""


class Check(NamedTuple):
    """One thing that was looked at: what, what came of it, and whether that is as it should be."""

    what: str
    outcome: str
    fine: bool


class Npm:
    """Programs from npm, in a folder of their own."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        cache = os.environ.get("NPM_CONFIG_CACHE") or str(Path.home() / ".npm")  # the usual one, in spite of the own home
        self._environment = {**os.environ, "HOME": str(folder), "NPM_CONFIG_CACHE": cache}
        words = ["--prefix", str(folder), "--no-save", "--no-package-lock", "--no-audit", "--no-fund", "--ignore-scripts"]
        subprocess.run(["npm", "install", *words, *_PACKAGES], stdout=subprocess.DEVNULL, check=True)

    async def run(self, *command: str, given: str = "", longest: float = _LONGEST) -> tuple[int, str, str]:
        """Run a program; gives exit code, output and errors."""
        program, *words = command
        found = self._folder / "node_modules" / ".bin" / program
        process = await asyncio.create_subprocess_exec(
            *([str(found)] if found.exists() and program != "node" else [program]),
            *words,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=self._folder,
            env=self._environment,
        )
        try:
            out, err = await asyncio.wait_for(process.communicate(given.encode()), longest)
        except TimeoutError:
            process.kill()
            await process.wait()
            return -1, "", f"did not end within {longest:g} s"
        return process.returncode or 0, out.decode(), err.decode()


@asynccontextmanager
async def serving(server: Any) -> AsyncIterator[str]:
    """The address of a server that is served as the door is; the token is put in front, for the suite cannot bring one."""
    from registry.doors.mcp.server import PATH, served

    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        port = listener.getsockname()[1]
        running = served(server, _TOKEN, port)
        inner: Any = running.config.loaded_app

        async def front(scope: Any, receive: Any, send: Any) -> None:
            if scope["type"] == "http":
                scope = {**scope, "headers": [*scope["headers"], (b"authorization", f"Bearer {_TOKEN}".encode())]}
            await inner(scope, receive, send)

        running.config.loaded_app = front
        task = asyncio.create_task(running.serve(sockets=[listener]))
        try:
            yield f"http://127.0.0.1:{port}{PATH}"
        finally:
            running.should_exit = True
            await task


async def suite(npm: Npm, address: str, folder: Path) -> list[Check]:
    """What the suite says of the door."""
    await npm.run("conformance", "server", "--url", address, "--requirements", REVISION, "-o", str(folder))
    return [_scenario(name, folder) for name in AT_THE_DOOR]


def _scenario(name: str, folder: Path) -> Check:
    files = sorted(folder.glob(f"server-{name}-20*/checks.json"))
    checks = json.loads(files[-1].read_text()) if files else []
    states = [one["status"] for one in checks]
    failed = {one["id"] for one in checks if one["status"] in ("FAILURE", "WARNING")} - NEED_A_FIXTURE
    outcome = f"{states.count('SUCCESS')} passed, {len(failed)} failed, {states.count('SKIPPED')} do not apply"
    return Check(name, f"{outcome} {' '.join(sorted(failed))}".rstrip(), not failed and "SUCCESS" in states)


async def tokens(npm: Npm) -> list[Check]:
    """How many tokens the lists of tools are, as clients get them."""
    from registry.catalog.loader import load
    from registry.doors.mcp.server import offers

    count = (
        'import { countTokens } from "gpt-tokenizer/encoding/o200k_base"; import { readFileSync } from "node:fs";'
        'console.log(countTokens(readFileSync(0, "utf8")));'
    )
    found, catalog = [], load()
    for which, most in _MOST_TOKENS.items():
        tools = [tool.model_dump(by_alias=True, exclude_none=True, mode="json") for tool in offers(catalog, which)]
        text = json.dumps(tools, ensure_ascii=False, separators=(",", ":"))
        code, out, err = await npm.run("node", "--input-type=module", "-e", count, given=text)
        fine = code == 0 and int(out) <= most
        size = f"{int(out):,} tokens of {most:,} (o200k), {len(text.encode()):,} bytes" if code == 0 else err.strip()[-300:]
        found.append(Check(f"tools/list --tools {which}", size, fine))
    return found


async def measured(npm: Npm, folder: Path) -> dict[str, list[Check]]:
    """Everything, by what it is about."""
    from registry.doors.mcp.agent_tools import AgentTools
    from registry.doors.mcp.server import made, offers
    from tests.changes.world import CATALOG, place

    found = {"Tokens of the lists": await tokens(npm)}
    async with place(state=folder / "state") as one:
        agent_tools = AgentTools(one.engine, tokens=1_000)
        async with serving(made(agent_tools, offers(CATALOG))) as address:
            found[f"Scenarios for {REVISION}, the door"] = await suite(npm, address, folder / "door")
    return found


def main() -> int:
    """Run all of it and print a table; 1 where something is not as it should be."""
    with TemporaryDirectory() as name:
        os.environ.setdefault("XDG_DOWNLOAD_DIR", name)
        _say(f"With {', '.join(_PACKAGES)}")
        found = asyncio.run(measured(Npm(Path(name)), Path(name)))
    for about, checks in found.items():
        _say(f"\n{about}: {sum(one.fine for one in checks)} of {len(checks)}")
        for one in checks:
            _say(f"  {'✓' if one.fine else '✗'} {one.what:<46} {one.outcome}")
    return 0 if all(one.fine for checks in found.values() for one in checks) and all(found.values()) else 1


def _say(words: str) -> None:
    sys.stdout.write(words + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
