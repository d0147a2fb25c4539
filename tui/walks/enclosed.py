"""Isolates a walk: folders of its own for settings, data and caches, and no dialog that leads to an account.

A walk's explorer is the explorer, and may be worked in when the walk is over. What is kept there must not be found in the
user's folders afterwards, and nothing typed or pasted there may reach a live service. So for as long as a walk's program runs
the process names other folders (`own_folders`), and whatever would bring in an account or a toolkit is refused (`EnclosedApp`).
Reports of crashes still go to the user's folder: they hold no data, and would be gone with the walk's.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from registry.storage.folders import config_file, private_folder
from tui.app import CallboardApp
from tui.explorer.top_bar import TopBar
from tui.state.settings import key_of
from tui.terminal.external_programs import IN_EXPLORER

WALKS_SANDBOX = "WALK'S SANDBOX"
"""How the sandbox of a walk is called above the screen: what is done in it is in nobody's history."""

_CONFIG = "CALLBOARD_CONFIG"
_FOLDERS = ("CONFIG", "DATA", "CACHE")
_USERS = (_CONFIG, "CALLBOARD_TOOLKITS", "CALLBOARD_SHARED")


def users_environment() -> Mapping[str, str]:
    """The environment as the user has it, with the place of their settings: for what may be read of them, such as keys."""
    return {**os.environ, _CONFIG: str(config_file(os.environ))}


@contextmanager
def own_folders(folder: Path) -> Iterator[Mapping[str, str]]:
    """Let this process keep settings, data and caches below a folder until the end; gives a session's environment."""
    theirs = dict(os.environ)
    try:
        for name in _USERS:
            os.environ.pop(name, None)
        for name in _FOLDERS:
            os.environ[f"XDG_{name}_HOME"] = str(private_folder(folder / name.lower()))
        # Where the system does not go by XDG, this still does.
        os.environ[_CONFIG] = str(folder / "config" / "config.toml")
        yield {_CONFIG: os.environ[_CONFIG]}
    finally:
        os.environ.clear()
        os.environ.update(theirs)


class EnclosedApp(CallboardApp):
    """The explorer without the dialogs that lead out of its sandbox."""

    @property
    def way_back(self) -> str:
        """Where leaving leads, in words for a key."""
        return "Back to your explorer" if os.environ.get(IN_EXPLORER) else "Quit"

    async def tell_way_back(self) -> None:
        """Say above the screen, for good, where one is and how one leaves."""
        await self.session.ready()  # a walk can be stopped before its explorer is there
        ways = (self.way_back, self.way_back.partition(" ")[0])
        told = [f"{WALKS_SANDBOX} · {key_of(self, 'quit')} {way}" for way in ways]
        self.session.sandbox_names = (*told, WALKS_SANDBOX)
        for bar in self.explorer.query(TopBar):
            bar.show_targets(self.session)

    async def push_screen_wait(self, screen: Any, *, mode: str | None = None) -> Any:
        """Ask something; what leads to accounts and servers is told to be elsewhere, and has no answer."""
        if getattr(screen, "LEADS_OUT", False):
            key = key_of(self, "quit")
            words = f"This is the walk's own sandbox: no account or toolkit is added or used here. {key} goes back."
            if not os.environ.get(IN_EXPLORER):
                words = "This is the walk's own sandbox: no account or toolkit is added or used here. Start callboard for that."
            self.notify(words, markup=False)
            return None
        return await super().push_screen_wait(screen, mode=mode)
