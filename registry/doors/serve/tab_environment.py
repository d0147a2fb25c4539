"""The environment of a tab's program: what it needs, and nothing else of the server's environment.

In a demonstration a program gets no account, no rule and no home folder of the user who runs the server.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Collection, Mapping
from pathlib import Path

from platformdirs import user_state_path

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
