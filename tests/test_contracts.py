"""The import contracts have no holes: every room has its place, and an import that breaks the rules is refused from every room.

Imports are planted in the graph and not in files, so that all of them together take seconds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

import grimp
import pytest
from importlinter.application.use_cases import read_user_options
from importlinter.configuration import configure
from importlinter.contracts.acyclic_siblings import AcyclicSiblingsContract
from importlinter.contracts.forbidden import ForbiddenContract
from importlinter.contracts.layers import LayersContract
from importlinter.contracts.protected import BrokenContractMetadata, ProtectedContract
from importlinter.domain.contract import Contract, ContractCheck

from tests.sampled import first_of_each

configure()  # the clock and the output that its contracts use
ROOT = Path(__file__).parent.parent
OPTIONS = read_user_options(str(ROOT / "pyproject.toml"))
CONTRACTS: list[dict[str, Any]] = OPTIONS.contracts_options
PACKAGES: list[str] = OPTIONS.session_options["root_packages"]
TYPES: dict[str, type[Contract]] = {
    "acyclic_siblings": AcyclicSiblingsContract,
    "forbidden": ForbiddenContract,
    "layers": LayersContract,
    "protected": ProtectedContract,
}


def rooms_on_disk(package: str) -> list[str]:
    """The rooms of a package, without its name: its folders with Python in them, and its loose files."""
    folder = ROOT / package
    folders = {file.relative_to(folder).parts[0] for file in folder.glob("*/**/*.py")}
    return sorted(folders | {file.stem for file in folder.glob("*.py")} - {"__init__"})


def layers_of(package: str) -> list[list[str]]:
    """The layers of a package from top to bottom, each with its rooms."""
    (contract,) = [one for one in CONTRACTS if one["type"] == "layers" and one["containers"] == [package]]
    assert contract["exhaustive"] == "True"
    return [layer.split(" | ") for layer in contract["layers"]]


FORBIDDEN = {
    "registry": ("textual", "rich", "tui"),
    "tui": ("httpx", "socket", "ssl", "sqlite3", "starlette", "mcp", "registry.accounts.secrets", "registry.doors"),
    "registry.sandbox": ("httpx", "pydantic"),
}
"""What must not be imported: by the packages, and by single rooms."""

BESIDE_THE_SANDBOX = ("registry.sandbox", "registry.calling")
"""The sandbox itself, and the room with the one module that reaches it."""

ROOMS = [(package, room) for package in PACKAGES for room in rooms_on_disk(package)]


@cache
def graph_on_disk() -> grimp.ImportGraph:
    """Every import of the program. Work on a copy."""
    return grimp.build_graph(*PACKAGES, include_external_packages=True, cache_dir=None)


def checks(graph: grimp.ImportGraph, *types: str) -> Iterator[tuple[str, ContractCheck]]:
    """What each contract of these types says of a graph, with its name."""
    for options in CONTRACTS:
        if options["type"] in types:
            contract = TYPES[options["type"]](options["name"], OPTIONS.session_options, options)
            yield options["name"], contract.check(deepcopy(graph), verbose=False)


def broken(graph: grimp.ImportGraph, *types: str) -> list[str]:
    """The names of the contracts of these types that a graph breaks."""
    return [name for name, check in checks(graph, *types) if not check.kept]


def refused(metadata: object) -> Iterator[tuple[str, str]]:
    """The imports that a contract's account of its violations names: who imports, and what."""
    if isinstance(metadata, Mapping):
        if {"importer", "imported"} <= metadata.keys():
            yield metadata["importer"], metadata["imported"]
        for value in metadata.values():
            yield from refused(value)
    elif isinstance(metadata, Sequence) and not isinstance(metadata, str):
        for value in metadata:
            yield from refused(value)
    elif isinstance(metadata, BrokenContractMetadata):
        yield from refused(metadata.illegal_links)


def planted(importer: str, imports: Iterable[str]) -> grimp.ImportGraph:
    """The program's imports and some more by one module."""
    graph = deepcopy(graph_on_disk())
    assert importer in graph.modules
    for imported in imports:
        if imported not in graph.modules:
            graph.add_module(imported, is_squashed="." not in imported)
        graph.add_import(importer=importer, imported=imported, line_number=1, line_contents=f"import {imported}")
    return graph


def forbidden_to(package: str, room: str) -> Iterator[str]:
    """What a room must not import: what its package must not, the sandbox, and the rooms beside and above it."""
    yield from FORBIDDEN[package]
    yield from FORBIDDEN.get(f"{package}.{room}", ())
    if f"{package}.{room}" not in BESIDE_THE_SANDBOX:
        yield "registry.sandbox"
    layers = layers_of(package)
    (place,) = [number for number, layer in enumerate(layers) if room in layer]
    yield from (f"{package}.{other}" for layer in layers[: place + 1] for other in layer if other != room)


def layer_of(one: tuple[str, str]) -> tuple[str, int | None]:
    """The package of a room and its layer; None where it has none, which another test says."""
    package, room = one
    return package, next((place for place, layer in enumerate(layers_of(package)) if room in layer), None)


@pytest.mark.parametrize("package", PACKAGES)
def test_every_room_is_in_exactly_one_layer(package: str) -> None:
    named = [room for layer in layers_of(package) for room in layer]
    there = rooms_on_disk(package)
    missing, gone = set(there) - set(named), set(named) - set(there)
    assert not missing, (
        f"{package}: give {', '.join(sorted(missing))} a layer in pyproject.toml, [[tool.importlinter.contracts]]"
    )
    assert not gone, f"{package}: no such room: {', '.join(sorted(gone))}; take it out of the layers in pyproject.toml"
    assert sorted(named) == there, (
        f"{package}: named twice: {', '.join(sorted({one for one in named if named.count(one) > 1}))}"
    )


def test_the_program_keeps_its_contracts() -> None:
    assert broken(graph_on_disk(), *TYPES) == []


@pytest.mark.parametrize(("package", "room"), first_of_each(ROOMS, layer_of))
def test_each_room_is_refused_what_it_must_not_import(package: str, room: str) -> None:
    importer = f"{package}.{room}"
    forbidden = set(forbidden_to(package, room))
    graph = planted(importer, forbidden)
    found = {link for _, check in checks(graph, "forbidden", "layers", "protected") for link in refused(check.metadata)}
    allowed = sorted(imported for imported in forbidden if (importer, imported) not in found)
    assert not allowed, f"{importer} may import {', '.join(allowed)}"


@pytest.mark.parametrize("package", PACKAGES)
def test_a_room_without_a_layer_is_refused(package: str) -> None:
    graph = deepcopy(graph_on_disk())
    graph.add_module(f"{package}.a_new_room")
    assert len(broken(graph, "layers")) == 1


def test_a_circle_in_any_room_is_refused() -> None:
    graph = deepcopy(graph_on_disk())
    large = [f"{package}.{room}" for package, room in ROOMS if len(graph.find_children(f"{package}.{room}")) > 1]
    for room in large:
        one, other = sorted(graph.find_children(room))[:2]
        for importer, imported in ((one, other), (other, one)):
            graph.add_import(importer=importer, imported=imported, line_number=1, line_contents=f"import {imported}")
    ((_, check),) = checks(graph, "acyclic_siblings")
    assert set(large) <= set(check.metadata["cycle_breakers_by_package"])


def test_the_sandbox_is_reached_by_the_engine_and_two_modules_of_the_command_line() -> None:
    rooms = [module for module in graph_on_disk().modules if module.startswith(("registry.engine.", "registry.doors.cli_s"))]
    reaching = {module for module in rooms if not broken(planted(module, ["registry.sandbox.world"]), "protected")}
    assert reaching == {"registry.engine.parts", "registry.doors.cli_sandbox"}
