"""What `docs/python.md` shows runs as it stands."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import registry.engine.api
from registry.engine import Presenter
from tests.opened import opened

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "python.md").read_text()
FIRST, FETCHING, ASKING = re.findall(r"^```python\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)


def test_the_ten_lines() -> None:
    # The sandbox in memory is not closed: it lasts as long as the program. Python 3.13 warns of that.
    warnings = ("-W", "error", "-W", "ignore:unclosed database:ResourceWarning")
    done = subprocess.run([sys.executable, *warnings, "-c", FIRST], cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    *customers, email, became = done.stdout.splitlines()
    assert len(customers) == 10
    assert all(line.startswith("cus_") for line in customers)
    assert "@" in email
    assert became == "done"
    body = FIRST[FIRST.index("async def main") : FIRST.index("asyncio.run")].strip().splitlines()
    assert len(body) <= 10


async def test_a_whole_list(capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, Any] = {}
    exec(FETCHING, names)
    async with opened() as engine:
        await names["print_all"](engine)
    count, complete, first = capsys.readouterr().out.split(maxsplit=2)
    assert int(count) > 100, "more than one page"
    assert (complete, '"id"' in first) == ("True", True)


def test_the_presenter() -> None:
    names: dict[str, object] = {}
    exec(ASKING, names)
    made = names["Terminal"]
    assert isinstance(made, type)
    assert issubclass(made, Presenter)


def test_what_the_page_names_is_there() -> None:
    named = set(re.findall(r"`([A-Z]\w+)`", PAGE))
    assert {"Result", "ArgumentError", "UnknownTool", "ConnectionSettingsError", "NotAllowed", "Presenter"} <= named
    for name in named:
        assert name in registry.engine.api.__all__, name
    for name in ("ArgumentError", "ConnectionSettingsError", "Result"):
        assert getattr(registry.engine, name).__name__ == name
