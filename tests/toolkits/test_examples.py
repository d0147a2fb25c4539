"""The examples in forms and help: cursors are of the parent named beside them, ids of the right kind, paths to expand real."""

import re
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from registry.catalog.loader import load
from registry.catalog.model import Parameter, Tool
from registry.engine import Engine
from registry.references.targets import wrong_kind
from registry.sandbox.server import application
from tests.opened import opened
from tests.sampled import further

_ID = re.compile(r"\b(?:[a-z]+_)+[A-Za-z0-9]{6,}\b")
_SAID = re.compile(r"(?:[Ff]or example|such as) (.+?)(?:\.(?: |$)|, (?:or|and) |; |$)")
READS = [tool for tool in load().tools.values() if tool.effect == "read" and tool.toolkit == "PaymentsApi"]
SOME_AND_ALL = [list({tool.returns.objects: tool for tool in READS}.values()), *further(READS)]
"""The quick suite takes one tool for each type of object."""

WITHOUT = {"GetBillingMeterEventSummaries"}
"""Usage is counted within a period, and periods have no examples that stay in the world's time."""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def engine() -> AsyncIterator[Engine]:
    async with opened(sandbox=application) as one:
        yield one


def example(parameter: Parameter) -> str | None:
    """The example in a parameter's help; None where there is none."""
    if ids := _ID.findall(parameter.help):
        return str(ids[-1])
    said = _SAID.search(parameter.help)
    return said[1].removesuffix(".").replace(" or email", " OR email").partition(" OR ")[0] if said else None


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("tools", SOME_AND_ALL)
async def test_documented_cursors_are_of_the_object_documented_beside_them(engine: Engine, tools: list[Tool]) -> None:
    """That each documented call without a cursor gives data is in `tests/test_every_tool.py`."""
    for tool in tools:
        needed = {one.name: example(one) for one in tool.parameters if one.required}
        for cursor in filter(None, (tool.with_role("cursor_after"), tool.with_role("cursor_before"))):
            if tool.name not in WITHOUT and not any(one.role == "secret" and one.required for one in tool.parameters):
                result = await engine.run(tool, {**needed, cursor.name: example(cursor)})
                assert result.ok, (tool.name, cursor.name, result.failure)


def test_ids_of_the_wrong_kind_are_marked_and_documented_ones_are_not() -> None:
    for tool in load().tools.values():
        for parameter in tool.parameters:
            assert wrong_kind(tool.toolkit, parameter, ", ".join(_ID.findall(parameter.help))) == "", (
                tool.name,
                parameter.name,
            )
    customer = load().tools["RetrieveCustomerDetails"].parameters[0]
    told = wrong_kind("PaymentsApi", customer, "mtr_MZmU15CXrf6qnYBFqiMhwNi1")
    assert told == "⚠ mtr_MZmU15CXrf6qnYBFqiMhwNi1 looks like the id of another type (billing meter); expected: customer"
    for text in ("cus_4R5QLgZDZXPlou", "cus_", "mtr_", "", "whatever it is"):
        assert wrong_kind("PaymentsApi", customer, text) == ""


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("tools", SOME_AND_ALL)
async def test_every_path_to_expand_is_taken_and_each_tool_has_one_that_does_something(
    engine: Engine, tools: list[Tool]
) -> None:
    """Where no path is offered, the kind of object is said."""
    silent = []
    for tool in tools:
        parameter = tool.with_role("expand")
        if parameter is None or any(one.role == "secret" and one.required for one in tool.parameters) or tool.name in WITHOUT:
            continue
        if not parameter.suggestions:
            assert all(kind in parameter.help for kind in tool.returns.objects[:1]), (tool.name, parameter.help)
            continue
        needed = {one.name: example(one) for one in tool.parameters if one.required}
        plain = await engine.run(tool, needed)
        expanded = await engine.run(tool, {**needed, parameter.name: list(parameter.suggestions)})
        assert expanded.ok, (tool.name, expanded.failure)
        if expanded.body == plain.body:
            silent.append(tool.name)
    assert not silent
