"""Where a copied text goes, and that the notice about it is true."""

import base64
import re
import stat
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.tui.app import desk
from tui.terminal.external_programs import Clipboard, sequence

TEXT = "Zoë\n東京 💜"
LARGE = "x" * 60_000


def encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def program(folder: Path, name: str, script: str) -> Mapping[str, str]:
    """An environment with a program of this name that runs the script."""
    file = folder / name
    file.write_text(f"#!/bin/sh\n{script}\n")
    file.chmod(0o755)
    return {"PATH": f"{folder}:/usr/bin:/bin", "DISPLAY": ":0", "OUT": str(folder / "out")}


def clipboard(environment: Mapping[str, str], folder: Path, platform: str = "linux") -> tuple[Clipboard, list[str]]:
    written: list[str] = []
    return Clipboard(written.append, environment, folder / "cache", platform), written


def test_the_sequence_plain_in_tmux_and_in_screen() -> None:
    plain = f"\x1b]52;c;{encoded(TEXT)}\x07"
    assert sequence(TEXT, {"TERM": "xterm"}) == plain
    wrapped = sequence(TEXT, {"TMUX": "/tmp/tmux", "TERM": "screen-256color"})
    assert wrapped == f"{plain}\x1bPtmux;\x1b{plain}\x1b\\"
    for environment in ({"STY": "1.x"}, {"TERM": "screen.xterm"}):
        pieces = re.findall("\x1bP([^\x1b]*(?:\x1b\\][^\x1b]*)?)\x1b\\\\", sequence("y" * 5_000, environment))
        assert max(map(len, pieces)) <= 250
        assert "".join(pieces) == f"\x1b]52;c;{encoded('y' * 5_000)}\x07"


async def test_the_desktops_clipboard_comes_first(tmp_path: Path) -> None:
    one, written = clipboard(program(tmp_path, "xclip", 'cat > "$OUT"'), tmp_path)
    outcome = await one.copy(TEXT + LARGE)
    assert outcome.about("it") == "✓ Copied it"
    assert (tmp_path / "out").read_text() == TEXT + LARGE
    assert written == []


async def test_over_ssh_the_terminals_clipboard_comes_first(tmp_path: Path) -> None:
    one, written = clipboard({**program(tmp_path, "xclip", 'cat > "$OUT"'), "SSH_CONNECTION": "a b"}, tmp_path)
    outcome = await one.copy(TEXT)
    assert outcome.about("it") == "✓ Copied it · through the terminal"
    assert written == [sequence(TEXT, {})]
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("script", ["exit 1", "echo no display >&2; exit 1"])
async def test_a_program_that_fails_is_not_believed(script: str, tmp_path: Path) -> None:
    one, written = clipboard(program(tmp_path, "xclip", script), tmp_path)
    assert (await one.copy(TEXT)).words == "through the terminal"
    assert written


async def test_what_is_too_large_is_written_to_a_file_of_ones_own(tmp_path: Path) -> None:
    one, written = clipboard({"TERM": "xterm", "PATH": ""}, tmp_path)
    outcome = await one.copy(LARGE)
    file = tmp_path / "cache" / "clipboard.txt"
    assert outcome.about("it") == f"✓ Saved it to {file} · too large for the terminal"
    assert file.read_text() == LARGE
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    assert written == []
    one, written = clipboard({"TERM": "linux", "PATH": ""}, tmp_path)
    assert (await one.copy(TEXT)).about("it") == f"✓ Saved it to {file} · no clipboard found"
    assert file.read_text() == TEXT


@pytest.mark.parametrize(
    ("takes", "passes", "sent"),
    [("on", "off", True), ("external", "on", True), ("off", "all", True), ("external", "off", False), ("off", "off", False)],
)
async def test_tmux_is_asked_whether_it_passes_on(takes: str, passes: str, sent: bool, tmp_path: Path) -> None:
    asked = {"show-options -sv set-clipboard": takes, "show-options -Apv allow-passthrough": passes}
    script = f'case "$*" in {" ".join(f"{words!r}) echo {answer};;" for words, answer in asked.items())} esac'
    environment = {
        "TMUX": "/tmp/tmux-1/default,1,0",
        "TERM": "tmux-256color",
        "PATH": program(tmp_path, "tmux", script)["PATH"],
    }
    one, written = clipboard(environment, tmp_path)
    outcome = await one.copy(TEXT)
    if sent:
        assert outcome.words == "through the terminal"
        assert written == [sequence(TEXT, environment)]
    else:
        assert "tmux set -s set-clipboard on" in outcome.words, "it says how"
        where = f"✓ Saved the call to {tmp_path / 'cache' / 'clipboard.txt'} "
        assert outcome.about("the call").startswith(where), "and where the text is meanwhile, before what may be cut"
        assert (tmp_path / "cache" / "clipboard.txt").read_text() == TEXT
        assert written == []


async def test_a_tmux_that_cannot_be_asked_or_is_old_passes_on(tmp_path: Path) -> None:
    environment = {"TMUX": "/tmp/tmux-1/default,1,0", "TERM": "screen-256color"}
    old = 'case "$*" in *set-clipboard) echo external;; *) exit 1;; esac'
    for path in (program(tmp_path, "tmux", old)["PATH"], str(tmp_path / "nothing here")):
        one, written = clipboard({**environment, "PATH": path}, tmp_path)
        assert (await one.copy(TEXT)).words == "through the terminal"
        assert written


async def test_where_nothing_works_that_is_said(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("in the way")
    one, _ = clipboard({"TERM": "dumb", "PATH": ""}, tmp_path)
    outcome = await one.copy(TEXT)
    assert not outcome.done
    assert outcome.about("it").startswith("Not copied: no clipboard found and could not write a file")


@pytest.mark.parametrize(
    ("environment", "platform", "name"),
    [
        ({"DISPLAY": ""}, "linux", None),
        ({}, "darwin", "pbcopy"),
        ({"WSL_DISTRO_NAME": "x"}, "linux", "clip.exe"),
        ({"WAYLAND_DISPLAY": "w"}, "linux", "wl-copy"),
    ],
)
def test_which_program_a_desktop_has(environment: dict[str, str], platform: str, name: str | None, tmp_path: Path) -> None:
    for one in ("pbcopy", "clip.exe", "wl-copy"):
        program(tmp_path, one, "")
    found = clipboard({"PATH": str(tmp_path)} | environment, tmp_path, platform)[0].program
    assert (found and found[0]) == name


async def test_the_copies_of_lines_go_the_same_way(monkeypatch: pytest.MonkeyPatch) -> None:
    async with desk() as one:
        written: list[str] = []
        monkeypatch.setattr(one.app, "write_to_terminal", written.append)
        one.app.copy_to_clipboard(TEXT)
        await one.until(lambda: sequence(TEXT, {}) in written)
        assert one.app.clipboard == TEXT
