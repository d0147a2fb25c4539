"""Nothing but the engine makes what calls are made with. `lint-imports` sees modules; this sees who calls the constructors."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ASSEMBLED = {"Audit", "ToolClient", "History", "Network", "Policy", "Traces"}
# A class of the same name that is data: an escalation policy.
OTHERS = {("registry/oncall/reading.py", "Policy")}


def made(source: str) -> Iterator[str]:
    """The names of `ASSEMBLED` that a module calls, also by way of a module or a class method."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call):
            parts, function = list[str](), node.func
            while isinstance(function, ast.Attribute):
                parts.append(function.attr)
                function = function.value
            if isinstance(function, ast.Name):
                parts.append(function.id)
            yield from ASSEMBLED.intersection(parts)


@pytest.mark.parametrize("code", ["Network()", "policy.Policy.of({})", "x = [calling.client.ToolClient(a, b)]"])
def test_what_is_made_is_found(code: str) -> None:
    assert list(made(code))


def test_only_the_engine_makes_the_parts() -> None:
    makers: dict[str, set[str]] = {}
    for package in ("registry", "tui"):
        for file in sorted((ROOT / package).rglob("*.py")):
            name = file.relative_to(ROOT).as_posix()
            source = file.read_text()
            if not any(part in source for part in ASSEMBLED):
                continue  # what is called is named
            for part in made(source):
                if (name, part) not in OTHERS and not name.startswith("registry/sandbox/"):
                    makers.setdefault(part, set()).add(name)
    reading = {part: {"registry/engine/reading.py"} for part in ASSEMBLED}
    assert makers == reading | {"Audit": {"registry/engine/engine.py"}}
