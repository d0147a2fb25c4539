"""What `docs/python.md` shows runs as it stands."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import registry.engine
from registry.engine import Unattended

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "python.md").read_text()
FIRST, ASKING = re.findall(r"^```python\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)


def test_the_ten_lines() -> None:
    done = subprocess.run([sys.executable, "-W", "error", "-c", FIRST], cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    *customers, email, became = done.stdout.splitlines()
    assert len(customers) == 10
    assert all(line.startswith("cus_") for line in customers)
    assert "@" in email
    assert became == "done"
    body = FIRST[FIRST.index("async def main") : FIRST.index("asyncio.run")].strip().splitlines()
    assert len(body) <= 10


def test_the_presenter() -> None:
    names: dict[str, object] = {}
    exec(ASKING, names)
    made = names["Terminal"]
    assert isinstance(made, type)
    assert issubclass(made, Unattended)


def test_what_the_page_names_is_there() -> None:
    named = set(re.findall(r"`([A-Z]\w+)`", PAGE))
    assert {"Result", "ArgumentError", "UnknownTool", "ConnectionSettingsError", "NotAllowed", "Presenter"} <= named
    for name in named:
        assert name in registry.engine.__all__, name
    for name in ("ArgumentError", "ConnectionSettingsError", "Result"):
        assert getattr(registry.engine, name).__name__ == name


def test_the_packages_are_typed() -> None:
    assert all((ROOT / package / "py.typed").is_file() for package in ("registry", "tui"))
