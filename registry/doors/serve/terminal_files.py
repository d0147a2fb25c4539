"""Finds the page's terminal: xterm.js, from the package textual-serve. None of its Python code is run."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path


def terminal_files() -> dict[str, Path]:
    """The files by the names in the page; empty if the package is not installed."""
    found = find_spec("textual_serve")
    if found is None or not found.submodule_search_locations:
        return {}
    static = Path(next(iter(found.submodule_search_locations))) / "static"
    files = {"textual.js": static / "js" / "textual.js", "xterm.css": static / "css" / "xterm.css"}
    return files if all(file.is_file() for file in files.values()) else {}
