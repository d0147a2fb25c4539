"""Isolates a walk: folders of its own for settings, data and caches, and no dialog that leads to an account.

A walk's explorer is a full explorer, and the user may work in it when the walk is over. What is saved there must not be in the
user's folders afterwards, and nothing typed or pasted there may reach a live service. So as long as a walk's program runs
the process uses other folders (`own_folders`), and dialogs that would add an account or a toolkit are refused (`EnclosedApp`).
Crash reports still go to the user's folder: they contain no data, and would be deleted with the walk's folders.
"""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from registry.files.folders import config_file, private_folder
from tui.app import CallboardApp
from tui.explorer.top_bar import TopBar
from tui.state.settings import key_of

WALKS_SANDBOX = "WALK'S SANDBOX"
"""The name of a walk's sandbox in the first line of the screen: calls in it are not added to the user's history."""

_CONFIG = "CALLBOARD_CONFIG"
_FOLDERS = ("CONFIG", "DATA", "CACHE")
_USERS = (_CONFIG, "CALLBOARD_TOOLKITS", "CALLBOARD_SHARED")


def users_environment() -> Mapping[str, str]:
    """The user's environment, with the path of their settings: for settings that a walk may read, such as keys."""
    return {**os.environ, _CONFIG: str(config_file(os.environ))}


@contextmanager
def own_folders(folder: Path) -> Iterator[Mapping[str, str]]:
    """Use folders below `folder` for this process's settings, data and caches until the end; yields a session's environment."""
    theirs = dict(os.environ)
    try:
        for name in _USERS:
            os.environ.pop(name, None)
        for name in _FOLDERS:
            os.environ[f"XDG_{name}_HOME"] = str(private_folder(folder / name.lower()))
        # This also works on systems that ignore XDG variables.
        os.environ[_CONFIG] = str(folder / "config" / "config.toml")
        yield {_CONFIG: os.environ[_CONFIG]}
    finally:
        os.environ.clear()
        os.environ.update(theirs)


class EnclosedApp(CallboardApp):
    """The explorer without dialogs that lead out of its sandbox."""

    async def tell_way_out(self) -> None:
        """Show permanently in the first line that this is the walk's sandbox, and how to leave it."""
        await self.session.ready()  # a walk can be stopped before its explorer is ready
        self.session.sandbox_names = (f"{WALKS_SANDBOX} · {key_of(self, 'quit')} Leave", WALKS_SANDBOX)
        for bar in self.explorer.query(TopBar):
            bar.show_targets(self.session)

    async def push_screen_wait(self, screen: Any, *, mode: str | None = None) -> Any:
        """Show a dialog; one that leads to accounts or servers is refused with a message, and returns None."""
        if getattr(screen, "LEADS_OUT", False):
            words = "This is the walk's own sandbox: no account or toolkit is added or used here."
            self.notify(f"{words} {key_of(self, 'quit')} leaves it.")
            return None
        return await super().push_screen_wait(screen, mode=mode)
