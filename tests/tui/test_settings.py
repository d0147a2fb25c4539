"""The settings in config.toml, and how mistakes in it are handled."""

import re
from pathlib import Path

import pytest

from registry.files.folders import config_file
from tests.cases import cases_beside
from tests.hostile import STRINGS
from tests.sampled import further
from tests.terminal import ROOT
from tests.tui.app import Desk
from tui.app import CallboardApp
from tui.help.screen import cheat_sheet
from tui.keyboard.commands import COMMANDS, key_named
from tui.session import Session
from tui.state.json_store import Preferences
from tui.state.settings import Settings, read
from tui.terminal.drivers import plain

CASES = cases_beside(__file__)


def settings(folder: Path, text: str) -> Settings:
    file = folder / "config.toml"
    file.write_text(text, "utf-8")
    return read(file)


def test_where_it_stands(tmp_path: Path) -> None:
    assert config_file({"CALLBOARD_CONFIG": "/a/b.toml"}) == Path("/a/b.toml")
    assert config_file({}).parts[-2:] == ("callboard", "config.toml")
    assert read(tmp_path / "none.toml") == Settings()


def test_keys_themes_and_the_rest(tmp_path: Path) -> None:
    found = settings(
        tmp_path, '[keys]\nrun = "ctrl+e"\ncopy = ["Alt+Q", "!"]\n[look]\ntheme = "nord"\nascii = true\nmotion = false\n'
    )
    assert found == Settings({"run": ("ctrl+e",), "copy": ("alt+q", "exclamation_mark")}, "nord", True, False)


@pytest.mark.parametrize(("text", "words"), CASES["mistakes in settings"])
def test_a_mistake_is_told_with_its_file(tmp_path: Path, text: str, words: str) -> None:
    problems = settings(tmp_path, text).problems
    assert len(problems) == 1
    assert problems[0].startswith(f"{tmp_path}/config.toml:")
    assert words in problems[0]


def test_what_is_right_counts_beside_what_is_wrong(tmp_path: Path) -> None:
    found = settings(tmp_path, '[keys]\nrun = "ctrl+e"\nflurb = "x"\n')
    assert found.keys == {"run": ("ctrl+e",)}


def test_two_commands_may_change_places(tmp_path: Path) -> None:
    found = settings(tmp_path, '[keys]\nnext = "["\nprevious = "]"\n')
    assert found.problems == ()
    assert found.keys == {"next": ("left_square_bracket",), "previous": ("right_square_bracket",)}


@pytest.mark.parametrize(
    "lines",
    [
        'copy = "v"\nread = "y"',  # the table has commands of its own at these keys, and keeps them
        'run = "^P"\npalette = "F5"',
        'mark = ["space", "."]',  # in other lists, Space does the same by another name
        'leave = ["Esc", "q"]',  # in the comparison Escape cancels nothing
    ],
)
def test_what_never_meets_may_have_the_same_key(tmp_path: Path, lines: str) -> None:
    found = settings(tmp_path, f"[keys]\n{lines}\n")
    assert found.problems == ()
    assert len(found.keys) == len(lines.splitlines())


@pytest.mark.parametrize(("written", "key"), CASES["keys as they are shown"])
def test_keys_may_be_written_as_they_are_shown(written: str, key: str) -> None:
    assert key_named(written) == key


def test_hostile_settings_do_no_harm(tmp_path: Path) -> None:
    for text in STRINGS:
        (tmp_path / "config.toml").write_bytes(text.encode("utf-8", "surrogatepass"))
        assert all(problem.isprintable() for problem in read(tmp_path / "config.toml").problems), text


def test_every_usual_key_exists() -> None:
    for command in COMMANDS:
        for key in command.usual:
            assert key_named(key) == key, (command.id, key)


def test_the_cheat_sheet_has_every_command_with_the_keys_that_it_has_now() -> None:
    sheet = cheat_sheet(Settings({"run": ("ctrl+e",)}))
    words = " ".join(sheet.split())
    for command in COMMANDS:
        assert f" {command.id} {command.help}" in words
    assert "  ^E " in sheet
    assert max(map(len, sheet.splitlines())) <= 80
    many = cheat_sheet(Settings({"run": ("ctrl+alt+shift+pageup", "ctrl+alt+shift+pagedown", "f5")}))
    assert max(map(len, many.splitlines())) <= 80


async def desk_with(tmp_path: Path, found: Settings) -> CallboardApp:
    return CallboardApp(Session({}, preferences=Preferences(tmp_path)), lambda: found)


async def test_a_mistake_is_told_and_the_program_starts(tmp_path: Path) -> None:
    app = await desk_with(tmp_path, settings(tmp_path, '[keys]\nrnu = "f5"\n[look]\ntheme = "[/x]"\n'))
    async with app.run_test(size=(120, 40)) as pilot:
        one = Desk(app, pilot)
        await one.until(lambda: one.screen.panes_mounted and len(app._notifications) == 2)
        told = " ".join(note.message for note in app._notifications)
        assert "did you mean run?" in told
        assert "Unknown theme: [/x]" in told


@pytest.mark.parametrize("theme", ["callboard-light", *further("callboard-contrast")])
async def test_a_theme_and_no_motion(tmp_path: Path, theme: str) -> None:
    app = await desk_with(tmp_path, Settings(theme=theme, motion=False))
    async with app.run_test(size=(120, 40)) as pilot:
        one = Desk(app, pilot)
        await one.until(lambda: app.theme == theme and app.animation_level == "none" and one.screen.panes_mounted)


async def test_ascii_only(tmp_path: Path) -> None:
    app = await desk_with(tmp_path, Settings(ascii=True))
    async with app.run_test(size=(120, 40)) as pilot:
        one = Desk(app, pilot)
        await pilot.pause()  # the panes come after the first frame
        await one.until(lambda: one.screen.panes_mounted and app.settings.ascii)
        await one.open("ListTeams")
        await one.run()
        await one.until(lambda: all(text.isascii() for text in _texts(app)))
        assert any("ListTeams" in text for text in _texts(app))


def _texts(app: CallboardApp) -> list[str]:
    lines = app.screen._compositor.render_strips()
    return ["".join(part.text for part in line) for line in lines]


@pytest.mark.parametrize(
    ("text", "expected"),
    [("▾ é…", "- e~"), ("▲◆ €3", "^* E3"), ("▁▃█⠋", "_-#*"), ("日本", "????"), ("│─┌█", "|-+#"), ("plain", "plain")],
)
def test_ascii_keeps_widths(text: str, expected: str) -> None:
    assert plain(text) == expected


@pytest.mark.parametrize(("document", "keys", "looks"), [("docs/settings.md", 2, 3), ("docs/keys.md", 2, 0)])
def test_the_examples_in_the_documents_are_right(tmp_path: Path, document: str, keys: int, looks: int) -> None:
    (example,) = re.findall(r"```toml\n(.*?)```", (ROOT / document).read_text("utf-8"), re.DOTALL)
    found = settings(tmp_path, example)
    assert found.problems == ()
    assert len(found.keys) == keys
    assert [found.theme != "", found.ascii, not found.motion].count(True) == looks
