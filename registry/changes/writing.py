"""Checks before an object is changed or created, and finds out afterwards whether it was."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from registry.catalog.model import Tool
from registry.changes.check_result import CheckResult, Difference, fact, in_line
from registry.changes.declared import Writing, declared, filled
from registry.changes.reads import ReadResult, Reads
from registry.text.safe_text import visible_line


async def check_write(reads: Reads, tool: Tool, arguments: Mapping[str, object]) -> CheckResult:
    """Check a change of an object, or its creation: as its toolkit declares, or else field by field."""
    how = _writing(tool)
    if how.check is not None:
        return await how.check(reads, tool, arguments)
    present = ReadResult() if tool.subject is None else await existing(reads, tool, arguments)
    if present.gone:
        return CheckResult(gone=True)
    problems = (f"Could not load it: {present.problem}",) if present.problem else ()
    changed = () if problems else tuple(_differences(how, sent_fields(tool, arguments), present.members))
    return CheckResult(body=present.body, differences=changed, problems=problems)


def sent_fields(tool: Tool, arguments: Mapping[str, object]) -> dict[str, object]:
    """The properties of the object that a call sets, by the service's names."""
    fields = (one for one in tool.parameters if one.place == "body" and one.wire_name and one.name in arguments)
    return {str(one.wire_name): arguments[one.name] for one in fields}


async def existing(reads: Reads, tool: Tool, arguments: Mapping[str, object]) -> ReadResult:
    """The object of a change; for a creation, the object that exists already."""
    if tool.subject is not None:
        retrieval = await reads.retrieval(tool, arguments)
        return await reads.read_object(retrieval) if retrieval is not None else ReadResult(problem="no tool can get it")
    finding = declared(tool.toolkit).finding_new.get(tool.own_name)
    reading = reads.tool(finding.tool) if finding is not None else None
    if finding is None or reading is None:
        return ReadResult(problem="no tool finds it")
    return await reads.read(reading, filled(finding.arguments, arguments))


def took_effect(tool: Tool, arguments: Mapping[str, object], members: Mapping[str, Any]) -> bool:
    """Whether an object has the values that a call sent."""
    how, given = _writing(tool), sent_fields(tool, arguments)
    return all(how.same(name, value, members.get(name)) for name, value in given.items() if name not in how.not_returned)


def unchanged(tool: Tool, arguments: Mapping[str, object], before: Mapping[str, Any], members: Mapping[str, Any]) -> bool:
    """Whether the fields that a call would change are as before."""
    how, given = _writing(tool), sent_fields(tool, arguments)
    return all(before.get(name) == members.get(name) for name in given if name not in how.not_returned)


def finding_in_words(tool: Tool) -> str:
    """The call that finds out whether an object was created, in words; empty if there is none."""
    finding = declared(tool.toolkit).finding_new.get(tool.own_name)
    return visible_line(f"{finding.tool} with {finding.words}") if finding is not None else ""


def _writing(tool: Tool) -> Writing:
    by_type = declared(tool.toolkit).writing
    return next((by_type[type_] for type_ in tool.returns.objects if type_ in by_type), Writing())


def _differences(how: Writing, given: Mapping[str, object], members: Mapping[str, Any]) -> list[Difference]:
    """The fields that a call gives a new value, in the order of the tool's parameters."""
    changed = [name for name, value in given.items() if not members or not how.same(name, value, members.get(name))]
    facts = ((fact(name, in_line(members.get(name))), fact(name, in_line(given[name]))) for name in changed)
    return [Difference(before.name, before.words, after.words) for before, after in facts]
