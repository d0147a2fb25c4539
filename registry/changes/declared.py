"""Reads a toolkit's declarations on deletions and changes, from the ``deleting.json`` of its folder.

A step is data, or the name of a function in the module ``deleting`` in the same folder. Only toolkits that come with
Callboard have functions; a user's folder is data only. Without the file a toolkit works, but its objects are not checked.
"""

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from registry.catalog.folders import BUILT_IN, CatalogProblem, of_files
from registry.catalog.loader import ToolkitFile, folder_of
from registry.catalog.model import Tool
from registry.changes.check_result import Check, CheckResult, Companion, Fact, counted
from registry.changes.reads import Items, Object, Reads
from registry.references.targets import with_article, words_for
from registry.text.filter_line import quoted
from registry.text.shown import visible_line

_FILE = "deleting.json"
_KEYS = ("test_mode_only", "checks", "companions", "facts", "writes", "finding_new", "instead")
_PLACEHOLDER = re.compile(r"\{(\w+)\}")


CheckStep = Callable[[Object, Reads], Awaitable[list[Check]]]
CompanionStep = Callable[[Object, Reads], Awaitable[list[Companion]]]
FactStep = Callable[[Object, Reads], Awaitable[list[Fact]]]
WriteStep = Callable[[Reads, Tool, Mapping[str, object]], Awaitable[CheckResult]]
Same = Callable[[str, object, object], bool]
"""Whether a given field has the object's present value: name, given, present."""


def same(_: str, given: object, present: object) -> bool:
    """Whether two values are the same; empty and missing are equal."""
    given, present = (list(one) if isinstance(one, tuple) else one for one in (given, present))
    return (given or None) == (present or None)


class Finding(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How to find out whether an object that a tool creates exists: another tool, with arguments from the first one.

    Attributes:
        tool: the tool that reads it.
        arguments: its arguments; ``{name}`` is replaced by that argument of the tool that creates the object.
        words: the property that it is found by: ``the email address``.
    """

    tool: str
    arguments: dict[str, str]
    words: str


class Writing(Struct, frozen=True):
    """How a change of one object type is checked, and how its fields are compared.

    Attributes:
        check: replaces the usual check.
        same: compares a field.
        not_returned: fields that the service accepts but does not return.
    """

    check: WriteStep | None = None
    same: Same = same
    not_returned: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Declared:
    """The steps to check objects of one toolkit, by object type; types without steps are missing.

    Attributes:
        test_mode_only: types that live data does not have, each with a sentence that says so.
        checks: the conditions of a deletion.
        companions: what is counted.
        facts: facts that need further reads.
        writing: how changes are checked.
        finding_new: by tool, how to find what it creates.
        instead: for types that cannot be deleted, what to do instead, in a sentence.
        problems: the errors in the file.
    """

    test_mode_only: Mapping[str, str]
    checks: Mapping[str, Sequence[CheckStep]]
    companions: Mapping[str, Sequence[CompanionStep]]
    facts: Mapping[str, FactStep]
    writing: Mapping[str, Writing]
    finding_new: Mapping[str, Finding]
    instead: Mapping[str, str]
    problems: tuple[CatalogProblem, ...] = ()


_NOTHING = Declared({}, {}, {}, {}, {}, {}, {})


def declared(toolkit: str) -> Declared:
    """A toolkit's declarations; empty without a file."""
    folder = folder_of(toolkit)
    return _declared(folder) if folder is not None else _NOTHING


def cannot_delete(toolkit: str, type_: str) -> str:
    """Why an object that no tool deletes cannot be deleted, and what to do instead if the toolkit says so."""
    what = visible_line(with_article(words_for(type_)))
    if instead := declared(toolkit).instead.get(type_):
        return f"{what[:1].upper()}{what[1:]} cannot be deleted. {instead}"
    return f"No tool can delete {what}."


def deleting_problems(folder: Path) -> tuple[CatalogProblem, ...]:
    """The errors in the ``deleting.json`` of a toolkit's folder; empty if there is no such file.

    Raises:
        AttributeError: a toolkit that comes with Callboard names a function that does not exist.
    """
    return _declared(folder).problems


class _Stated(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A check with a constant outcome: it is unknown, or it holds whenever the object can be read."""

    words: str
    holds: bool | None = None


class _Counted(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A companion that a list tool counts. In its arguments, ``{id}`` is the object's id, ``{quoted_id}`` the id in quotes."""

    tool: str
    arguments: dict[str, str]
    one: str
    many: str


class _Writing(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Like `Writing`, with functions by name."""

    check: str = ""
    same: str = ""
    not_returned: frozenset[str] = frozenset()


@of_files
def _declared(folder: Path) -> Declared:
    file = ToolkitFile(folder, _FILE, _KEYS)
    test_only = file.entries("test_mode_only", str)
    checks = _steps(file, "checks", _Stated, _stated)
    for type_, words in test_only.items():
        checks[type_] = [_in_test_mode(words), *checks.get(type_, ())]
    companions = _steps(file, "companions", _Counted, partial(_count, file))
    named = file.entries("facts", str)
    facts = {type_: step for type_, name in named.items() if (step := _function(file, f"facts.{type_}", name))}
    writing = {}
    for type_, entry in file.entries("writes", _Writing).items():
        field_ = f"writes.{type_}"
        check, compare = _function(file, f"{field_}.check", entry.check), _function(file, f"{field_}.same", entry.same)
        writing[type_] = Writing(check, compare or same, entry.not_returned)
    finding, instead = file.entries("finding_new", Finding), file.entries("instead", str)
    return Declared(test_only, checks, companions, facts, writing, finding, instead, tuple(file.problems))


def _steps(file: ToolkitFile, key: str, kind: type[Any], made: Callable[[str, Any], Any]) -> dict[str, list[Any]]:
    """The steps under a key, by object type; invalid ones are left out, and each is reported as a problem."""
    found = {}
    for type_, entries in file.entries(key, list[str | kind]).items():  # type: ignore[valid-type]
        field_ = f"{key}.{type_}"
        steps = [_function(file, field_, one) if isinstance(one, str) else made(field_, one) for one in entries]
        found[type_] = [step for step in steps if step is not None]
    return found


def _function(file: ToolkitFile, field_: str, name: str) -> Callable[..., Any] | None:
    """The function with a name, if there is a name; None, and a problem, if the folder is a user's.

    Raises:
        AttributeError: the folder comes with Callboard, and there is no such function.
    """
    if name and file.folder.parent != BUILT_IN:
        file.problem(field_, f"names a function, `{name}`; only toolkits that come with Callboard have functions")
        return None
    module = f"registry.toolkits.{file.folder.name}.deleting"
    function: Callable[..., Any] | None = getattr(import_module(module), name) if name else None
    return function


def _stated(_: str, entry: _Stated) -> CheckStep:
    async def step(_: Object, __: Reads) -> list[Check]:
        return [Check(entry.holds, visible_line(entry.words))]

    return step


def _in_test_mode(words: str) -> CheckStep:
    async def step(item: Object, _: Reads) -> list[Check]:
        live = bool(item.get("livemode"))
        return [Check(not live, words if live else "It is in test mode.")]

    return step


def _count(file: ToolkitFile, field_: str, entry: _Counted) -> CompanionStep | None:
    unknown = {name for text in entry.arguments.values() for name in _PLACEHOLDER.findall(text)} - {"id", "quoted_id"}
    if unknown:
        file.problem(field_, f"has {{{min(unknown)}}}; available: {{id}} and {{quoted_id}}")
        return None
    name, one, many = map(visible_line, (entry.tool, entry.one, entry.many))

    async def step(item: Object, reads: Reads) -> list[Companion]:
        id_, tool = str(item.get("id")), reads.tool(entry.tool)
        if tool is None:
            return [counted(Items(problem=f"no tool {name} lists them"), one, many)]
        arguments = filled(entry.arguments, {"id": id_, "quoted_id": quoted(id_)})
        return [counted(await reads.items(tool.name, arguments), one, many)]

    return step


def filled(arguments: Mapping[str, str], values: Mapping[str, object]) -> dict[str, str]:
    """Arguments with names in braces replaced by their values; names without a value stay."""
    return {name: _PLACEHOLDER.sub(lambda one: str(values.get(one[1], one[0])), text) for name, text in arguments.items()}
