"""Checks the ``titles.json`` of a toolkit's folder. The table of contents only leaves out what is wrong in it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from registry.catalog.titles import FILE, KEYS
from registry.catalog.toolkit_files import ToolkitFile
from registry.catalog.unfit import UNFIT
from registry.text.safe_text import visible_line

if TYPE_CHECKING:
    from registry.catalog.problems import CatalogProblem


def title_problems(folder: Path) -> list[CatalogProblem]:
    """The errors in the ``titles.json`` of a toolkit's folder; empty if there is no such file."""
    file = ToolkitFile(folder, FILE, KEYS)
    for key in KEYS[:3]:
        for name, text in file.texts(key).items():
            if visible_line(text) != text:
                file.problem(f"{key}.{name}", UNFIT)
    file.value(KEYS[3], list[str], [])
    return file.problems
