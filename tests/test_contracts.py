"""The import contracts have no holes: every room has its place, and an import that breaks the rules is refused from every room.

Imports are planted in the graph and not in files, so that all of them together take seconds.
"""

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
FORBIDDEN = {
    "registry": ("textual", "rich", "tui", "registry.sandbox"),
    "tui": ("httpx", "socket", "ssl", "sqlite3", "starlette", "mcp", "registry.accounts.secrets", "registry.doors"),
}
"""What rooms must not import."""


def layers_of(package: str) -> list[list[str]]:
    """The layers of a package from top to bottom, each with its rooms."""
    (contract,) = [one for one in CONTRACTS if one["type"] == "layers" and one["containers"] == [package]]
    assert contract["exhaustive"] == "True", "a room without a layer is refused"
    return [layer.split(" | ") for layer in contract["layers"]]


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


PLACES = [(package, number) for package in PACKAGES for number in range(len(layers_of(package)))]


@pytest.mark.parametrize(("package", "number"), PLACES)
def test_a_room_is_refused_what_it_must_not_import(package: str, number: int) -> None:
    """What its package must not, and the rooms beside and above it."""
    layers = layers_of(package)
    importer = f"{package}.{layers[number][0]}"
    above = {f"{package}.{room}" for layer in layers[: number + 1] for room in layer}
    forbidden = above.union(FORBIDDEN[package]) - {importer}
    graph = planted(importer, forbidden)
    found = {link for _, check in checks(graph, "forbidden", "layers", "protected") for link in refused(check.metadata)}
    assert not sorted(imported for imported in forbidden if (importer, imported) not in found)


def test_the_sandbox_is_reached_by_the_engine_and_two_modules_of_the_command_line() -> None:
    rooms = [module for module in graph_on_disk().modules if module.startswith(("registry.engine.", "registry.doors.cli_s"))]
    reaching = {module for module in rooms if not broken(planted(module, ["registry.sandbox.world"]), "protected")}
    assert reaching == {"registry.engine.reading", "registry.doors.cli_sandbox"}
