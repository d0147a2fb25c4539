"""``callboard find``, ``tools`` and ``show``: find tools, calls and objects by words, list tools, and describe one."""

import argparse
import json
import re
import shlex
import textwrap
from collections.abc import Iterable
from typing import Any

from registry.catalog.listing import EFFECT_SIGNS, ToolSummary, table_of_contents, toolkit_titles, vocabulary
from registry.catalog.loader import load
from registry.catalog.model import Parameter, Tool
from registry.catalog.schema import json_schema
from registry.doors.cli_parser import Options, option_of
from registry.doors.output import ExitCode, complain, line_width, remark, say, say_json, say_values
from registry.engine import open_engine
from registry.finding.find import Finder
from registry.finding.scoring import Reader
from registry.saved.making import own_calls
from registry.saved.store import usual_store
from registry.text.shown import shortened, visible_line
from registry.toolkits.checking import file_problems

_DEEPEST, _SHOWN = 3, 12
_MAY_BE_ID = re.compile(r"[\w.:-]{8,255}")


OPTIONS: Options = {"find": {}, "tools": {}, "show": {}}


def run(options: argparse.Namespace) -> int:
    """Find, list or show; returns the exit code."""
    if options.command == "find":
        return _find(" ".join(options.words), as_json=options.json)
    if options.command == "show":
        return show_tool(options.tool, as_json=options.json, as_schema=options.schema)
    return _list(" ".join(options.query), as_json=options.json)


def _find(words: str, *, as_json: bool) -> int:
    """Print what matches the words, best first; always prints something."""
    catalog = load()
    finder = Finder(catalog, own_calls(usual_store(catalog).all().calls, catalog.tools))
    known = open_engine().history.of_request(words) if _MAY_BE_ID.fullmatch(words) else ()
    found = finder.find(words, known=known)
    if as_json:
        names = ("kind", "tool", "arguments", "effect", "title", "why", "without")
        return say_values([{name: getattr(one, name) for name in names} | {"arguments": dict(one.arguments)} for one in found])
    width = line_width()
    for one in found[:_SHOWN]:
        call = " ".join(f"{option_of(name)} {_value(value)}" for name, value in one.arguments.items())
        without = f"   without: {', '.join(one.without)}" if one.without else ""
        lines = [f"{EFFECT_SIGNS.get(one.effect, ' ')} {one.title}{without}"]
        if one.tool:
            lines.append(f"    callboard call {one.tool} {call}".rstrip())
        if one.missing:  # a comment, so that the line can be copied
            lines[-1] += f"  # needs {', '.join(map(option_of, one.missing))}"
        lines.append(f"    {one.why}")
        say("\n".join(shortened(visible_line(line), width) for line in lines if line.strip()))
    if len(found) > _SHOWN:
        remark(f"{len(found) - _SHOWN} more; --json prints all of them")
    return ExitCode.OK


def _value(value: object) -> str:
    return " ".join(shlex.quote(str(one)) for one in value) if isinstance(value, list) else shlex.quote(str(value))


def _list(query: str, *, as_json: bool) -> int:
    """Print the tools that match, best first; or those of a toolkit, or all of them, by toolkit and group."""
    catalog, contents = load(), table_of_contents()
    of_toolkit = [tool for tool in contents if query in ("", tool.toolkit)]
    found = of_toolkit or _matching(contents, query)
    for problem in (*catalog.problems, *file_problems()):
        complain(f"catalogue: {problem}")
    if as_json:
        return say_json(json.dumps([described(catalog.tools[tool.name]) for tool in found], indent=2))
    if not found:
        return complain(f"no tools match {query!r}; try fewer or shorter words, or `callboard find`, which also knows synonyms")
    width = line_width()
    longest = min(max(len(tool.name) for tool in found), 42)
    say("\n".join(_grouped(found, width) if of_toolkit else [_line(tool, longest, width) for tool in found]))
    legend = "   + changes   × deletes   † deprecated"
    return remark(f"{len(found)} tools{legend}" if of_toolkit else f"{len(found)} of {len(contents)} tools")


def _matching(contents: Iterable[ToolSummary], query: str) -> list[ToolSummary]:
    """The tools in which each typed word begins a word, fillers aside; those first that have most of them in their names."""
    words = vocabulary()
    terms = Reader(words.phrases).terms
    typed = [term.stem for term in terms(query) if term.word not in words.fillers] or [term.stem for term in terms(query)]
    found = []
    for tool in contents:
        texts = tool.name, f"{tool.group} {tool.operation} {tool.summary}"
        name, rest = ([term.stem for term in terms(text)] for text in texts)
        named = [one for one in typed if any(stem.startswith(one) for stem in name)]
        if typed and all(one in named or any(stem.startswith(one) for stem in rest) for one in typed):
            found.append((-len(named), tool.effect != "read", len(tool.name), tool))
    return [one[-1] for one in sorted(found, key=lambda one: one[:-1])]


def show_tool(name: str, *, as_json: bool, as_schema: bool) -> int:
    """Print what one tool does and its parameters."""
    tool = load().tool(name)
    if as_schema:
        return say_values(json_schema(tool))
    return say_values(described(tool)) if as_json else say("\n".join(_sheet(tool, line_width())))


def described(tool: Tool) -> dict[str, Any]:
    """A tool's whole catalogue entry as JSON values."""
    before = "toolkit name group operation method path effect deprecated use_instead summary rule"
    return {
        **{name: getattr(tool, name) for name in before.split()},
        "returns": {"kind": tool.returns.kind, "objects": list(tool.returns.objects)},
        "scopes": list(tool.scopes),
        "parameters": [_described(parameter) for parameter in tool.parameters],
    }


def _described(parameter: Parameter) -> dict[str, Any]:
    """A parameter's entry; that of a structured one also has its inner parts."""
    bounds = {name: getattr(parameter, name) for name in ("min_items", "max_items", "pattern")}
    inner = {"properties": parameter.properties, "branches": parameter.branches}
    return {
        **{name: getattr(parameter, name) for name in ("name", "type", "required", "default", "minimum", "maximum")},
        **{name: list(getattr(parameter, name) or ()) or None for name in ("enum", "wire_enum", "suggestions")},
        "format": parameter.format,
        "help": parameter.help,
        "in": parameter.place,
        "wire_name": parameter.wire_name,
        "role": parameter.role,
        "refers_to": list(parameter.refers_to),
        **{name: value for name, value in bounds.items() if value is not None},
        **{name: [_described(one) for one in some] for name, some in inner.items() if some},
        **({"items": _described(parameter.items)} if parameter.items else {}),
    }


def _grouped(tools: Iterable[ToolSummary], width: int) -> list[str]:
    titles = {toolkit.name: toolkit.named for toolkit in toolkit_titles()}
    lines: list[str] = []
    heading = None
    for tool in tools:
        if (tool.toolkit, tool.group) != heading:
            heading = (tool.toolkit, tool.group)
            lines += ["", f"{titles.get(tool.toolkit, tool.toolkit)} · {tool.group}"]
        lines.append(_line(tool, 42, width))
    return lines[1:]


def _line(tool: ToolSummary, column: int, width: int) -> str:
    name = tool.name + (" †" if tool.deprecated else "")
    text = f"{EFFECT_SIGNS.get(tool.effect, ' ')} {name:<{column}}  {tool.summary}"
    return text if len(text) <= width else text[: width - 1] + "…"


def _sheet(tool: Tool, width: int) -> list[str]:
    width = min(width, 100)
    return [
        f"{tool.full_name}   {tool.effect}",
        tool.summary,
        *(textwrap.wrap(f"Note: {tool.rule}", width) if tool.rule else ()),
        *(textwrap.wrap(f"Deprecated. Use {tool.use_instead}.", width) if tool.deprecated else ()),
        "",
        f"{tool.method} {tool.path}   ({tool.operation})",
        *([f"Needs one of these scopes: {', '.join(tool.scopes)}"] if tool.scopes else ()),
        *(["", "Parameters"] if tool.parameters else ()),
        *(line for one in tool.parameters for line in _parameter_lines(one, option_of(one.name), width, 0)),
    ]


def _parameter_lines(parameter: Parameter, option: str, width: int, depth: int) -> list[str]:
    """An option with its facts and help, and below it the options for its properties."""
    indent, least, most = "  " * (depth + 1), parameter.minimum, parameter.maximum
    facts = (
        kind_of(parameter),
        "required" if parameter.required else "",
        "" if least is None and most is None else f"{least}–{'' if most is None else most}",
        "" if parameter.default is None else f"default {json.dumps(parameter.default)}",
    )
    inside = ", or property by property:" if parameter.properties else "."
    texts = (
        parameter.help,
        f"One of: {', '.join(parameter.enum)}" if parameter.enum else "",
        f"As JSON: {option} '…', or from a file: {option}=@FILE{inside}" if parameter.is_structured and depth == 0 else "",
    )
    lines = [f"{indent}{option}  ({', '.join(filter(None, facts))})"]
    for text in filter(None, texts):
        lines += textwrap.wrap(text, width, initial_indent=indent + "    ", subsequent_indent=indent + "    ")
    for inner in parameter.properties if depth < _DEEPEST else ():
        lines += _parameter_lines(inner, f"{option}.{inner.name}", width, depth + 1)
    return [*lines, *(f"{indent}    - {branch.name}: {kind_of(branch)}" for branch in parameter.branches)]


def kind_of(parameter: Parameter) -> str:
    """The type in a few words: ``array of integer``."""
    if parameter.type == "array" and parameter.items is not None:
        return f"array of {kind_of(parameter.items)}"
    return {"one_of": "one of several", "any": "any JSON"}.get(parameter.type, parameter.type)
