"""Borders at which files of people are read: what is wrong is refused with the name of its field."""

import json
from pathlib import Path
from typing import Any

import pytest

from registry.catalog.loader import load
from registry.saved.file import read_file
from registry.saved.saved_call import SavedCallError
from tui.state.settings import read as read_settings

CATALOG = load()
SAVED = {"format": "callboard saved call", "version": 1, "name": "Invoices", "inputs": [], "steps": [], "outputs": {}}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[look]\ntheme = 7\n", "config.toml:2: theme must be a theme name in quotes"),
        ('[look]\nmotion = "no"\n', "config.toml:2: motion must be true or false"),
        ('[keys]\n"tool.run" = 7\n', "config.toml:2: unknown command tool.run"),
        ("[colours]\n", "config.toml:1: unknown section [colours]"),
    ],
)
def test_settings(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "config.toml").write_text(text, "utf-8")
    (problem,) = read_settings(tmp_path / "config.toml").problems
    assert words in problem


@pytest.mark.parametrize(("change", "words"), [({"name": 7}, "name"), ({"steps": {}}, "steps"), ({"colour": 1}, "colour")])
def test_a_saved_call_from_a_file(change: dict[str, Any], words: str) -> None:
    with pytest.raises(SavedCallError, match=words):
        read_file(json.dumps(SAVED | change).encode(), CATALOG)
