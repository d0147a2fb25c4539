"""Every sign of the program has an ASCII character; text that is set again is drawn only when it changes."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from textual.app import App, ComposeResult
from textual.containers import Vertical
from textual.content import Content

from tui.terminal.drivers import plain
from tui.widgets.texts import Words

ROOT = Path(__file__).parents[2]
# What makes text from outside safe, and what finds formulas in it, name characters that are never shown.
NEVER_SHOWN = ("registry/text/shown.py", "registry/results/formats.py")

_ESCAPE = re.compile(r"\\[uUNx0-7]")
"""By these a string has other characters than its module."""


def signs(file: Path) -> Iterator[str]:
    """The characters in a module's strings that are neither ASCII nor letters, without docstrings."""
    text = file.read_text("utf-8")
    if text.isascii() and not _ESCAPE.search(text):
        return
    nodes = list(ast.walk(ast.parse(text)))
    told = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in told:
            yield from (
                letter for letter in node.value if not letter.isascii() and letter.isprintable() and not letter.isalpha()
            )


def test_every_sign_has_its_character() -> None:
    files = [file for name in ("tui", "registry") for file in (ROOT / name).rglob("*.py") if "sandbox" not in file.parts]
    shown = [file for file in files if file.relative_to(ROOT).as_posix() not in NEVER_SHOWN]
    found = {letter: file.name for file in shown for letter in signs(file)}
    assert len(found) > 40, "the signs were found"
    assert {letter: file for letter, file in found.items() if "?" in plain(letter)} == {}


def test_signs_of_different_meaning_stay_different() -> None:
    toolkits = [plain(sign) for sign in "■▲●□"]
    states = [plain(sign) for sign in "✓✗!◦?×"]
    assert toolkits == ["$", "^", "@", "#"]
    assert len(set(states)) == len(states)
    assert plain("▸") != plain("▾")


class Shown(App[None]):
    CSS = "#box { height: auto; }"

    def compose(self) -> ComposeResult:
        with Vertical(id="box"):
            yield Words("one")


async def test_a_text_gets_its_lines_and_gives_them_back_also_while_it_is_hidden() -> None:
    async with Shown().run_test(size=(60, 20)) as pilot:
        words = pilot.app.query_one(Words)
        for text, shown in (("one\ntwo", True), ("one", True), ("one\ntwo", False)):
            words.display = shown
            await pilot.pause()
            words.update(Content(text))
            words.display = True
            await pilot.pause()
            await pilot.pause()
            assert words.size.height == len(text.split("\n"))
