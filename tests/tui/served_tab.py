"""The explorer as in a tab of ``callboard serve``: prints what it offers, and with ``--all`` carries out every command.

A program of its own, because what a tab offers is decided when the commands are imported; what it opens, starts and connects to
is noted by an audit hook.
"""

import asyncio
import json
import os
import sys
from typing import Any

from tests.tui.app import Desk, desk
from tui.explorer.tool_pane import AskLine
from tui.explorer.toolkit_tree import ToolkitTree
from tui.help.screen import cheat_sheet
from tui.keyboard.commands import COMMANDS, EVERY, NOT_SERVED, SCOPES, carry_out, commands_named
from tui.state.settings import current

_OWN = (
    os.path.realpath(sys.prefix),
    os.path.realpath(sys.base_prefix),
    os.environ["HOME"],
    os.getcwd(),
    "/usr/",
    "/proc/",
    "/dev/",
)
_STARTS = ("subprocess.Popen", "os.exec", "os.posix_spawn", "os.system", "pty.spawn")
_ENDS = {"quit", "show_me"}  # the second one starts this program again, on a sandbox of its own
_OPENS = {"page": "open_row", "oncall": "oncall"}
seen: dict[str, Any] = {"opened": set(), "started": set(), "connected": set()}


def watch(event: str, args: tuple[Any, ...]) -> None:
    """Note what is opened outside of the program's own folders, started, or connected to."""
    if event == "open" and isinstance(args[0], str | bytes | os.PathLike):
        path = os.path.abspath(os.fsdecode(args[0]))
        if not path.startswith(_OWN):
            seen["opened"].add(path)
    elif event in _STARTS:
        seen["started"].add(str(args[0]))
    elif event == "socket.connect":
        seen["connected"].add(str(args[1]))


async def main() -> None:
    async with desk(lists="table") as one:
        await one.open("ListIncidents")
        await one.run()
        hidden = [command for command in EVERY if command.id in NOT_SERVED]
        actions = {command.action.rpartition(".")[2] for command in hidden}
        seen["palette"] = [command.id for command in commands_named(">", one.app.screen) if command.id in NOT_SERVED]
        seen["sheet"] = [command.id for command in hidden if command.help in cheat_sheet(current())]
        seen["bound"] = [
            binding.binding.action
            for pane in ("tools", "form", "result")
            for binding in await bound(one, pane)
            if binding.binding.action.rpartition(".")[2] in actions
        ]
        line, tree = one.screen.query_one(AskLine), one.screen.query_one(ToolkitTree)
        line.focus()
        line.value = "/etc/openapi.json"
        await one.at_rest()
        seen["pasted"] = tree.details
        line.value = ""
        seen["dialogs"] = {}
        for id_, keys in {"connections": "aesD", "saved": "e"}.items():
            await one.do(id_)
            dialog = one.app.screen
            for key in keys:
                await one.press(key)
                assert one.app.screen is dialog, key
            seen["dialogs"][id_] = str(dialog.query_one(".keys-here").render())
            await one.press("escape", "escape")
        for scope in SCOPES if "--all" in sys.argv else ():
            await one.do(*filter(None, [_OPENS.get(scope)]))
            for command in COMMANDS:
                if command.scope == scope and command.id not in _ENDS:
                    await carry_out(command, one.app.screen)
                    await one.pilot.pause()
                    while one.app.screen.is_modal:
                        await one.press("escape")
    sys.stdout.write(json.dumps({name: sorted(found) if isinstance(found, set) else found for name, found in seen.items()}))


async def bound(one: Desk, pane: str) -> Any:
    await one.do(pane)
    return one.app.screen.active_bindings.values()


if __name__ == "__main__":
    sys.addaudithook(watch)
    asyncio.run(main())
