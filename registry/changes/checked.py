"""The check of a change: what is sent is what was checked, and only once."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from msgspec.structs import replace

from registry.calling.arguments import ArgumentError, Arguments, check
from registry.calling.client import NotChecked
from registry.calling.request import plan
from registry.catalog.model import Tool
from registry.catalog.properties import properties_of
from registry.changes.check_result import Check, CheckResult, Difference, Fact, called, fact, facts_of, in_line
from registry.changes.declared import Writing, declared, filled
from registry.changes.reads import ReadResult, Reads
from registry.references.knowledge import knowledge
from registry.references.targets import words_for
from registry.text.shown import visible_line

PATIENCE = 12.0
"""Seconds after which a check ends with what it has found."""

Observer = Callable[[CheckResult], None]


class ChangeCheck:
    """Checks a change before it is sent.

    It gives no permission and takes none away: it reports the present state, step by step, so that it can be shown from the
    first response on. It only reads, and is limited in time: what takes too long is reported as unknown.

    Args:
        reads: the reads, on the connection of the change.
        tool: the tool that deletes or changes something.
        arguments: its checked arguments.
        patience: seconds after which it ends with what it has found.

    Attributes:
        reads, tool, values: what is checked, and then sent; the values are a copy, which nobody changes in between.
        result: the result so far.

    Raises:
        ArgumentError: the arguments are invalid.
    """

    def __init__(self, reads: Reads, tool: Tool, arguments: Arguments, patience: float = PATIENCE) -> None:
        if arguments.errors:
            raise ArgumentError(tool.name, arguments.errors)
        self.reads, self.tool, self.values = reads, tool, MappingProxyType(dict(arguments.values))
        self._patience = patience
        id_ = str(self.values[tool.subject.name]) if tool.subject is not None else ""
        type_, types = tool.returns.objects[0], knowledge(tool.toolkit).types_by_id(id_)
        self.result = CheckResult(type_, id_, part=bool(types) and type_ not in types)
        self._observer: Observer | None = None
        self._found: dict[tuple[str, int], list[Any]] = {}
        self._begun = self._stopped = self._used = False

    async def run(self, observer: Observer | None = None) -> CheckResult:
        """Check, unless that was done; returns the result. Can be cancelled, and then run again.

        Args:
            observer: called with the result so far, as it grows.
        """
        if self.result.complete:
            return self.result
        self._begun, self._observer = True, observer
        try:
            async with asyncio.timeout(self._patience):
                await (self._check_write() if self.tool.effect == "write" else self._check_deletion())
        except TimeoutError:
            late = f"The check timed out after {self._patience:g} s; what is missing here is unknown."
            self._tell(problems=(*self.result.problems, late))
        self._tell(complete=True)
        return self.result

    def stop(self) -> CheckResult:
        """End the check now, because the user does not want to wait; returns the result so far.

        Raises:
            NotChecked: the check has not begun.
        """
        if not self._begun:
            raise NotChecked("The check has not begun.")
        if not self.result.complete:
            stopped = "Check stopped. Some conditions were not checked."
            self._tell(problems=(*self.result.problems, stopped), complete=True)
            self._stopped = True
        return self.result

    def use(self) -> None:
        """Use the check up, to send the change.

        Raises:
            NotChecked: it has not ended, was used before, or shows that the change would fail.
        """
        if not self.result.complete:
            raise NotChecked("The check has not ended.")
        if self.result.verdict == "refuse":
            raise NotChecked(f"This would fail: {self.result.in_the_way}")
        if self._used:
            raise NotChecked("One check allows one change.")
        self._used = True

    def _tell(self, **change: Any) -> None:
        if not self._stopped:
            self.result = replace(self.result, **change)
            if self._observer is not None:
                self._observer(self.result)

    async def _step(self, part: str, place: int, work: Awaitable[list[Any]]) -> None:
        """Run a step and report what it found, in the order of the steps."""
        self._found[part, place] = await work
        found = [one for key in sorted(self._found) if key[0] == part for one in self._found[key]]
        self._tell(**{part: tuple(found)})

    async def _check_deletion(self) -> None:
        reads, tool = self.reads, self.tool
        steps = declared(tool.toolkit)
        is_live = reads.connection.endpoint(tool.toolkit).known_live
        lacking = steps.test_mode_only if is_live else {}
        # What the account's data does not have fails without reading.
        if checks := [Check(False, lacking[one]) for one in tool.returns.objects if one in lacking]:
            self._tell(checks=tuple(checks))
            return
        retrieval = await reads.retrieval(tool, self.values)
        if retrieval is None:
            self._tell(problems=("No tool can look up this object, so nothing could be checked.",))
            return
        found = await reads.read_object(retrieval)
        if found.gone or found.problem:
            self._tell(gone=found.gone, problems=(f"Could not load it: {found.problem}",) if found.problem else ())
            return
        type_ = str(found.members.get("object") or tool.returns.objects[0])
        facts = list(facts_of(found.members, properties_of(tool.toolkit).facts))
        if self.result.part:
            (owner, *_), id_ = knowledge(tool.toolkit).types_by_id(self.result.id), self.result.id
            if names := called((await reads.one(owner, id_)).members):
                facts.insert(0, Fact(words_for(owner), names[0]))
                self._tell(whose=names[0])
        self._tell(type=visible_line(type_), body=found.body, names=called(found.members), facts=tuple(facts))
        self._found["facts", -1] = facts
        more = [steps.facts[type_]] if type_ in steps.facts else []
        parts: dict[str, Sequence[Callable[..., Awaitable[list[Any]]]]]
        parts = {"facts": more, "checks": steps.checks.get(type_, ()), "companions": steps.companions.get(type_, ())}
        async with asyncio.TaskGroup() as group:
            for part, found_by in parts.items():
                for place, step in enumerate(found_by):
                    group.create_task(self._step(part, place, step(found.members, reads)))

    async def _check_write(self) -> None:
        seen, own = await _check_write(self.reads, self.tool, self.values), self.result
        members = ReadResult.of(seen.body).members
        facts = facts_of(members, properties_of(self.tool.toolkit).facts)
        if not self._stopped:
            self.result = replace(seen, type=own.type, id=own.id, part=own.part)
        self._tell(names=called(members), facts=facts)


async def _check_write(reads: Reads, tool: Tool, arguments: Mapping[str, object]) -> CheckResult:
    """Check a change of an object, or its creation: as its toolkit declares, or else field by field."""
    how = _writing(tool)
    if how.check is not None:
        return await how.check(reads, tool, arguments)
    # A POST below an object adds something to it, or does something with it: it does not set the object's own properties.
    is_below = tool.method == "POST" and "{" not in tool.path.rpartition("/")[2]
    present = ReadResult() if tool.subject is None or is_below else await existing(reads, tool, arguments)
    if present.gone:
        return CheckResult(gone=True)
    problems = (f"Could not load it: {present.problem}",) if present.problem else ()
    given = sent_fields(tool, arguments)
    members = present.members
    changed = [name for name, value in given.items() if not members or not how.same(name, value, members.get(name))]
    facts = ((fact(name, in_line(members.get(name))), fact(name, in_line(given[name]))) for name in changed)
    differences = tuple(Difference(before.name, before.words, after.words) for before, after in facts)
    endpoint = reads.connection.endpoint_for(tool)
    request = "" if given else f"{tool.method} {plan(tool, check(tool, arguments)).url(endpoint, masked=True)}"
    return CheckResult(body=present.body, differences=differences, request=request, problems=problems)


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


def took_effect(tool: Tool, arguments: Mapping[str, object], members: Mapping[str, Any]) -> bool | None:
    """Whether an object has the values that a call sent; None if it would show none of them."""
    how = _writing(tool)
    given = {name: value for name, value in sent_fields(tool, arguments).items() if name not in how.not_returned}
    return all(how.same(name, value, members.get(name)) for name, value in given.items()) if given else None


def unchanged(tool: Tool, arguments: Mapping[str, object], before: Mapping[str, Any], members: Mapping[str, Any]) -> bool:
    """Whether the fields that a call would change are as before."""
    how, given = _writing(tool), sent_fields(tool, arguments)
    return all(before.get(name) == members.get(name) for name in given if name not in how.not_returned)


def _writing(tool: Tool) -> Writing:
    by_type = declared(tool.toolkit).writing
    return next((by_type[type_] for type_ in tool.returns.objects if type_ in by_type), Writing())
