"""Keys of one's own in a real terminal: set in config.toml, they work, and everything on screen names them."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.sampled import further
from tests.terminal import Terminal


@pytest.fixture
def folder() -> Iterator[str]:
    with TemporaryDirectory() as made:
        yield made


@pytest.mark.parametrize("size", [(80, 24), *further((120, 40))], ids=str)
def test_a_command_gets_another_key(size: tuple[int, int], folder: str) -> None:
    # Its name is short, so that what is said of it breaks at no other place than blanks.
    config = Path(folder) / "c.toml"
    config.write_text('[keys]\nrun = "ctrl+e"\ncopy = "v"\nread = "y"\njump = "^_"\ncopyas = "x"\n')
    with Terminal(columns=size[0], lines=size[1], environment={"CALLBOARD_CONFIG": str(config)}) as terminal:
        terminal.wait_for("Ask, or paste")
        terminal.wait_for(lambda text: f"{config}:6: " in text and "copy_as?" in text)
        terminal.press_at_once("whoami", "enter")
        terminal.wait_for("This tool has no parameters. Press ^E")
        terminal.wait_for("^E Run")
        terminal.press("ctrl+e")
        terminal.wait_for("· sandbox")
        terminal.press("f4", "y")
        terminal.wait_for("characters")
        terminal.press("escape")
        terminal.wait_for(lambda text: "characters" not in text)
        terminal.press("f1")
        terminal.wait_for(lambda text: "All keys" in text and "v Copy" in text)
        terminal.press("escape")
        terminal.wait_for(lambda text: "All keys" not in text)
        terminal.press("ctrl+_")
        terminal.wait_for("Press a letter to jump.")
        if size[0] < 112:
            terminal.press("a")
            terminal.wait_for("▌F2 Tools")
        else:
            terminal.press("f")
            terminal.wait_for(lambda text: "^E Run" in text and "Press a letter" not in text)
        terminal.press("ctrl+q")
        terminal.wait_for_end()
