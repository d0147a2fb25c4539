"""What `docs/python.md` shows runs as it stands."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import registry.engine
from registry.engine import Unattended
from tests.opened import opened

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "python.md").read_text()
FIRST, FETCHING, ASKING = re.findall(r"^```python\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)


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


async def test_a_whole_list(capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, Any] = {}
    exec(FETCHING, names)
    async with opened() as engine:
        await names["print_all"](engine)
    count, complete, first = capsys.readouterr().out.split(maxsplit=2)
    assert int(count) > 100, "more than one page"
    assert (complete, '"id"' in first) == ("True", True)


def test_every_name_is_there() -> None:
    names: dict[str, object] = {}
    exec("from registry.engine import *", names)
    for name in registry.engine.__all__:
        assert names[name] is getattr(registry.engine, name)
    assert sorted(set(registry.engine.__all__)) == sorted(registry.engine.__all__)


def test_the_types_of_public_signatures_are_there() -> None:
    """A caller needs no other import to annotate what a public method of the engine takes or returns."""
    source = (ROOT / "registry" / "engine" / "engine.py").read_text("utf-8")
    (body,) = (one for one in ast.parse(source).body if isinstance(one, ast.ClassDef) and one.name == "Engine")
    named: set[str] = set()
    for method in body.body:
        if isinstance(method, ast.FunctionDef | ast.AsyncFunctionDef) and not method.name.startswith("_"):
            parts = [one.annotation for one in (*method.args.args, *method.args.kwonlyargs)] + [method.returns]
            named |= {one.id for part in parts if part is not None for one in ast.walk(part) if isinstance(one, ast.Name)}
    aliases = {"ProgressOfMany", "OnSurprise", "Damaged"}
    outside = {"Awaitable", "Callable", "Mapping", "Sequence", "asyncio", "bool", "dict", "int", "list", "object", "str"}
    assert named - aliases - outside <= set(registry.engine.__all__)


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
