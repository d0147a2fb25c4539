"""Validates a playbook against the catalogue: every step, argument and reference, before anything is called."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from registry.calling.arguments import check, unknown
from registry.calling.exact_json import DEEPEST, depth_of
from registry.calling.invalid_value import nearest
from registry.catalog.loader import Catalog
from registry.catalog.model import Tool
from registry.pages.templates import root_of, template_problem
from registry.playbooks.filling import references_in, templates_in
from registry.playbooks.playbook import Input, Playbook, Problem, Step
from registry.text.safe_text import shortened, visible_line

MOST_INPUTS, MOST_STEPS, MOST_OUTPUTS, LONGEST_TEXT = 40, 50, 40, 400
_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
_RESERVED = ("page",)


def problems_of(playbook: Playbook, catalog: Catalog) -> tuple[Problem, ...]:
    """All problems of a playbook, in the order of its file; empty when it can be run."""
    return tuple(_problems(playbook, catalog))


def _problems(playbook: Playbook, catalog: Catalog) -> Iterator[Problem]:
    if not playbook.steps:
        yield Problem("steps", "has no step; add a tool to call")
    for name, count, most in (
        ("inputs", len(playbook.inputs), MOST_INPUTS),
        ("steps", len(playbook.steps), MOST_STEPS),
        ("outputs", len(playbook.outputs), MOST_OUTPUTS),
    ):
        if count > most:
            yield Problem(name, f"has {count} entries; at most {most} are allowed")
    if (problem := _text(playbook.about)) is not None:
        yield Problem("about", problem)
    yield from _input_problems(playbook)
    before: list[str] = []
    for number, step in enumerate(playbook.steps, 1):
        place = f"steps.{visible_line(step.id) or number}"
        if not _NAME.fullmatch(step.id) or step.id in _RESERVED:
            yield Problem(f"steps.{number}.id", _name_rule(step.id))
        elif step.id in before:
            yield Problem(place, "is the id of an earlier step; choose another one")
        tool = catalog.find(step.tool)
        if tool is None:
            message = f"names the tool {_shown(step.tool)}, which does not exist{nearest(step.tool, list(catalog.tools))}"
            yield Problem(f"{place}.tool", message)
        else:
            yield from _argument_problems(playbook, step, tool, place, before)
        before.append(step.id)
    for name, template in playbook.outputs.items():
        if not _NAME.fullmatch(name):
            yield Problem("outputs", f"has an output with this name: {_name_rule(name)}")
            continue
        yield from _template_problems(f"outputs.{name}", template, playbook, before)


def _input_problems(playbook: Playbook) -> Iterator[Problem]:
    names: set[str] = set()
    for number, one in enumerate(playbook.inputs, 1):
        place = f"inputs.{visible_line(one.name) or number}"
        if not _NAME.fullmatch(one.name):
            yield Problem(f"inputs.{number}.name", _name_rule(one.name))
            continue
        if one.name in names:
            yield Problem(place, "is the name of an earlier input; choose another one")
        names.add(one.name)
        for name, text in (("help", one.help), ("example", one.example), ("object", one.object_type)):
            if (problem := _text(text)) is not None:
                yield Problem(f"{place}.{name}", problem)
        if one.values and one.type != "string":
            yield Problem(f"{place}.values", "is for inputs of the type string only; remove it")
        elif any(_text(value) is not None for value in one.values):
            yield Problem(f"{place}.values", "has a value that is too long or not printable; remove it")
        elif one.secret and (one.default is not None or one.example):
            yield Problem(place, "is a secret, so it has no default and no example; remove them")
        elif one.default is not None:
            yield from _default_problems(place, one, playbook)


def _default_problems(place: str, one: Input, playbook: Playbook) -> Iterator[Problem]:
    only = Playbook(playbook.name, (), (one,)).form("")
    for error in check(only, {one.name: one.default}).errors:
        yield Problem(f"{place}.default", error.message)


def _argument_problems(playbook: Playbook, step: Step, tool: Tool, place: str, before: list[str]) -> Iterator[Problem]:
    plain: dict[str, object] = {}
    wrong: set[str] = set()
    for name, value in step.arguments.items():
        here = f"{place}.arguments.{visible_line(name)}"
        parameter = tool.parameter(name)
        if parameter is None:
            yield Problem(here, unknown(tool, name).message)
            continue
        if depth_of(value) > DEEPEST:
            yield Problem(here, f"is nested more than {DEEPEST} deep")
            continue
        found = [problem for text in templates_in(value) for problem in _template_problems(here, text, playbook, before)]
        if found:
            wrong.add(name)
            yield from found
        elif not references_in(value):
            plain[name] = value
            if parameter.role == "secret":
                yield Problem(here, "is a secret, and secrets are never saved; make it an input with `secret`")
    # Known values are validated now; values that depend on a run, right before its call.
    for error in check(tool, plain).errors:
        if error.parameter in plain or (error.parameter not in step.arguments and error.message == "is required"):
            yield Problem(f"{place}.arguments.{error.path}", error.message)


def _template_problems(place: str, template: str, playbook: Playbook, before: list[str]) -> Iterator[Problem]:
    if problem := template_problem(template):
        words = f"{visible_line(problem)}. For text with braces, make the argument an input"
        yield Problem(place, words)
        return
    inputs = [one.name for one in playbook.inputs]
    for path in references_in(template):
        root = root_of(path)
        shown = shortened(visible_line(f"{{{path}}}"), 60)
        if path.startswith(("@", "#")):
            if root not in before:
                later = any(step.id == root for step in playbook.steps)
                why = "runs later" if later else f"does not exist{nearest(root, before)}"
                yield Problem(place, f"refers to {shown}, but the step {_shown(root)} {why}; refer to an earlier step")
        elif root not in inputs:
            message = f"refers to {shown}, but there is no input {_shown(root)}{nearest(root, inputs)}; add it to `inputs`"
            yield Problem(place, message)


def row_problems(
    playbook: Playbook, toolkit: str, rows: Sequence[Mapping[str, object]], now: float, first: int = 1
) -> tuple[Problem, ...]:
    """The problems of the inputs of runs, numbered from `first`; with several runs the place is ``row 3, customer``."""
    form = playbook.form(toolkit)
    return tuple(
        Problem(f"row {number}, {error.path}" if len(rows) > 1 else error.path, error.message)
        for number, row in enumerate(rows, first)
        for error in check(form, row, now).errors
    )


def _text(text: str) -> str | None:
    if len(text) > LONGEST_TEXT:
        return f"has {len(text):,} characters; at most {LONGEST_TEXT} are allowed"
    return "contains a control character or an invisible character; remove it" if visible_line(text) != text else None


def _name_rule(name: str) -> str:
    if name in _RESERVED:
        return f"cannot be {_shown(name)}, which templates use for something else; choose another name"
    return f"must begin with a lower-case letter and have only a to z, 0 to 9 and _, at most 40; got {_shown(name)}"


def _shown(value: str) -> str:
    return shortened(visible_line(f"“{value}”"), 60)
