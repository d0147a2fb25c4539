"""The records of a saved call, and its templates: checked before anything is called, and filled with inputs and results.

A template that is a single reference returns the unchanged value, also an object or a list; elsewhere values are text.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, get_args

import msgspec

from registry.calling.arguments import check, unknown
from registry.calling.times import nearest
from registry.catalog.loader import Catalog
from registry.catalog.model import Parameter, Returns, Tool
from registry.json_text import NotJson, dumps, is_text, read_json
from registry.results.templates import Context, fill_arguments, paths_in, root_of, template_problem, value_at
from registry.text.shown import shortened, visible_line

InputType = Literal["string", "integer", "number", "boolean", "array", "object"]


def input_type(name: str) -> InputType | None:
    """The type of inputs with this name; None if there is none."""
    return next((one for one in get_args(InputType) if one == name), None)


class Problem(msgspec.Struct, frozen=True):
    """A problem of a saved call: the place in its file (``steps.charges.arguments.customer_id``), and what is wrong and why."""

    place: str
    message: str

    def __str__(self) -> str:
        return f"`{self.place}` {self.message}" if self.place else self.message


class SavedCallError(Exception):
    """A saved call cannot be read, saved or run: the cause, what to do, and all problems, if there is more than one."""

    def __init__(self, cause: str, way_out: str = "", problems: tuple[Problem, ...] = ()) -> None:
        super().__init__(f"{cause} {way_out}".strip())
        self.cause, self.way_out, self.problems = cause, way_out, problems


class Input(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A value that a run needs, unless there is a default. docs/saved.md says what each field means.

    A secret's value is never shown and never saved; `example` is an earlier value, which is shown and never used.
    """

    name: str
    type: InputType = "string"
    object_type: str = msgspec.field(default="", name="object")
    values: tuple[str, ...] = ()
    default: Any = None
    example: str = ""
    help: str = ""
    required: bool = True
    secret: bool = False

    @property
    def parameter(self) -> Parameter:
        """The input as a parameter of a tool: forms and validation then treat it as any other."""
        words = ". ".join(part for part in (self.help, f"For example {self.example}" if self.example else "") if part)
        return Parameter(
            name=self.name,
            type=self.type,
            help=words,
            place="local",
            role="secret" if self.secret else "id" if self.object_type else "field",
            required=self.required and self.default is None,
            enum=self.values or None,
            refers_to=(self.object_type,) if self.object_type else (),
        )


class Step(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One call; its arguments are templates or values, and templates may be inside objects and lists."""

    id: str
    tool: str
    arguments: dict[str, Any] = {}


class SavedCall(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One call, or a chain of calls. The fields are those of its file, but for the last.

    `shared` is the shared folder with its file, empty for the user's own; only the file's location says this, not its content.
    """

    name: str
    about: str = ""
    inputs: tuple[Input, ...] = ()
    steps: tuple[Step, ...] = ()
    outputs: dict[str, str] = {}
    shared: str = ""

    @property
    def reference(self) -> str:
        """Its unambiguous name: ``FOLDER/NAME`` in a shared folder."""
        return f"{self.shared}/{self.name}" if self.shared else self.name

    @property
    def word(self) -> str:
        """The reference as one word, as shells complete it: hyphens are its spaces."""
        return self.reference.replace(" ", "-")

    @property
    def summary(self) -> str:
        """What it calls and with what, in one line, safe to show."""
        if len(self.steps) == 1:
            step = self.steps[0]
            values = [f"{name} {value if is_text(value) else dumps(value)}" for name, value in step.arguments.items()]
            words = [step.tool, *values]
        else:
            words = [f"{len(self.steps)} steps", f"takes {', '.join(one.name for one in self.inputs)}" if self.inputs else ""]
        return visible_line(" · ".join(filter(None, [f"from {self.shared}" if self.shared else "", *words])))

    def form(self, toolkit: str) -> Tool:
        """The inputs as a tool's parameters; `toolkit` is the toolkit of their ids. The tool is never called."""
        return Tool(
            toolkit=toolkit,
            name=self.name,
            operation="",
            group="",
            method="GET",
            path="",
            effect="read",
            summary=self.about,
            returns=Returns(kind="object", objects=()),
            parameters=tuple(one.parameter for one in self.inputs),
        )


_WHOLE = re.compile(r"(\[\[)?\{([^{}|]+)\}(?(1)\]\])")


class MissingValue(LookupError):
    """A reference without a value; the text names the argument and the reference."""


def response_in(body: bytes) -> Any:
    """The JSON value of a response; None if it has none."""
    try:
        return read_json(body) if body else None
    except NotJson:
        return None


def references_in(value: object) -> list[str]:
    """The paths of all references in an argument: ``customer``, ``@charges.data[0].id``, ``#charges``."""
    return [path for template in templates_in(value) for path in paths_in(template)]


def templates_in(value: object) -> Iterator[str]:
    """The texts in an argument: itself, or those inside an object or a list."""
    if isinstance(value, str) and is_text(value):
        yield value
    elif isinstance(value, Mapping | list | tuple):
        for one in value.values() if isinstance(value, Mapping) else value:
            yield from templates_in(one)


def arguments_of(step: Step, tool: Tool, values: Context) -> dict[str, object]:
    """The arguments of a step's call, not checked yet. An argument whose references are optional and have no value is omitted.

    Raises:
        MissingValue: a reference leads to nothing.
    """
    found: dict[str, object] = {}
    for name, template in step.arguments.items():
        parameter = tool.parameter(name)
        is_query = parameter is not None and parameter.role == "query"
        value = filled(f"arguments.{name}", template, values, is_query=is_query)
        if value is not None:
            found[name] = value
    return found


def files_named(call: SavedCall, catalog: Catalog) -> tuple[Problem, ...]:
    """Where a saved call names a file to send by itself, instead of asking for it: nobody else's call may choose one."""
    asked = {one.name for one in call.inputs if one.default is None}
    return tuple(
        Problem(
            f"steps.{step.id}.arguments.{one.name}",
            "names a file to send; in a shared folder it must be an input without a default",
        )
        for step in call.steps
        if (tool := catalog.find(step.tool)) is not None
        for one in tool.parameters
        if one.takes_files and (given := step.arguments.get(one.name)) and not _is_asked(given, asked)
    )


def _is_asked(given: object, asked: set[str]) -> bool:
    """Whether an argument is just an input, or a list of inputs."""
    values = given if isinstance(given, list | tuple) else [given]
    wholes = [_WHOLE.fullmatch(one) if isinstance(one, str) else None for one in values]
    return all(whole is not None and whole[2] in asked for whole in wholes)


def filled(place: str, template: object, values: Context, *, is_query: bool = False) -> object:
    """An argument with values for its references; None if these are optional and have none. Raises `MissingValue`."""
    if isinstance(template, Mapping):
        inner = {name: filled(f"{place}.{name}", one, values) for name, one in template.items()}
        return {name: one for name, one in inner.items() if one is not None or template[name] is None}
    if isinstance(template, list | tuple):
        return [filled(f"{place}[{number}]", one, values) for number, one in enumerate(template)]
    if not isinstance(template, str) or not references_in(template):
        return template
    whole = _WHOLE.fullmatch(template)
    if whole is not None:
        value = value_at(whole[2], values)
        if value is None and whole[1] is None:
            raise MissingValue(_missing(place, whole[2]))
        return value
    text = fill_arguments({"value": template}, values, ("value",) if is_query else ())
    if text is None:
        paths = paths_in(template)
        raise MissingValue(_missing(place, next((one for one in paths if value_at(one, values) is None), paths[0])))
    return text.get("value")


def _missing(place: str, path: str) -> str:
    reference = visible_line(f"{{{path}}}")
    if path.startswith(("@", "#")):
        step = root_of(path)
        inside = visible_line(path[1 + len(step) :].removeprefix(".")) or "value"
        return f"`{place}` needs {reference}, but the response of {step} has no {inside}."
    return f"`{place}` needs the input {reference}, which is not set."


MOST_STEPS, LONGEST_NAME = 50, 60
_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
_NAME_RULE = "must begin with a lower-case letter and have only a to z, 0 to 9 and _, at most 40"
_RESERVED = "page"
"""What templates use for something else."""


def checked_name(name: str) -> str:
    """A name without surrounding spaces.

    Raises:
        SavedCallError: it is empty, too long, or not printable.
    """
    name = name.strip()
    if not name or len(name) > LONGEST_NAME or visible_line(name) != name:
        raise SavedCallError(f"`name` must have 1 to {LONGEST_NAME} printable characters.", "Choose another name.")
    return name


def problems_of(call: SavedCall, catalog: Catalog) -> tuple[Problem, ...]:
    """The problems of a saved call's shape, in the order of its file: names, tools, parameters, references."""
    return tuple(_problems(call, catalog))


def value_problems(call: SavedCall, catalog: Catalog) -> tuple[Problem, ...]:
    """What tools would refuse of the values that a saved call has; what comes from responses is checked before its call."""
    return tuple(
        Problem(f"steps.{step.id}.arguments.{error.path}", error.message)
        for step in call.steps
        for tool in [catalog.tools[step.tool]]
        for plain in [{name: value for name, value in step.arguments.items() if not references_in(value)}]
        for error in check(tool, plain).errors
        if error.parameter in plain or (error.parameter not in step.arguments and error.message == "is required")
    )


def row_problems(
    call: SavedCall, toolkit: str, rows: Sequence[Mapping[str, object]], now: float, first: int = 1
) -> tuple[Problem, ...]:
    """The problems of the inputs of runs, numbered from `first`; with several runs the place is ``row 3, customer``."""
    form = call.form(toolkit)
    return tuple(
        Problem(f"row {number}, {error.path}" if len(rows) > 1 else error.path, error.message)
        for number, row in enumerate(rows, first)
        for error in check(form, row, now).errors
    )


def _problems(call: SavedCall, catalog: Catalog) -> Iterator[Problem]:
    if not 1 <= len(call.steps) <= MOST_STEPS:
        yield Problem("steps", f"has {len(call.steps)} entries; 1 to {MOST_STEPS} are allowed")
    names: set[str] = set()
    for number, one in enumerate(call.inputs, 1):
        place = f"inputs.{visible_line(one.name) or number}"
        if not _NAME.fullmatch(one.name) or one.name == _RESERVED:
            yield Problem(f"inputs.{number}.name", f"{_NAME_RULE}, and not {_RESERVED}; got {_shown(one.name)}")
        if one.name in names:
            yield Problem(place, "is the name of an earlier input; choose another one")
        names.add(one.name)
        if one.values and one.type != "string":
            yield Problem(f"{place}.values", "is for inputs of the type string only; remove it")
        elif one.secret and (one.default is not None or one.example):
            yield Problem(place, "is a secret, so it has no default and no example; remove them")
        elif one.default is not None:
            for error in check(SavedCall(call.name, inputs=(one,)).form(""), {one.name: one.default}).errors:
                yield Problem(f"{place}.default", error.message)
    before: list[str] = []
    for number, step in enumerate(call.steps, 1):
        place = f"steps.{visible_line(step.id) or number}"
        if not _NAME.fullmatch(step.id) or step.id == _RESERVED:
            yield Problem(f"steps.{number}.id", f"{_NAME_RULE}, and not {_RESERVED}; got {_shown(step.id)}")
        elif step.id in before:
            yield Problem(place, "is the id of an earlier step; choose another one")
        if (tool := catalog.find(step.tool)) is None:
            message = f"names the tool {_shown(step.tool)}, which does not exist{nearest(step.tool, list(catalog.tools))}"
            yield Problem(f"{place}.tool", message)
        else:
            yield from _argument_problems(call, step, tool, place, before)
        before.append(step.id)
    for name, template in call.outputs.items():
        if not _NAME.fullmatch(name):
            yield Problem("outputs", f"has the name {_shown(name)}; a name {_NAME_RULE}")
        yield from _template_problems(f"outputs.{visible_line(name)}", template, call, before)


def _argument_problems(call: SavedCall, step: Step, tool: Tool, place: str, before: list[str]) -> Iterator[Problem]:
    for name, value in step.arguments.items():
        here = f"{place}.arguments.{visible_line(name)}"
        parameter = tool.parameter(name)
        if parameter is None:
            yield Problem(here, unknown(tool, name).message)
            continue
        for text in templates_in(value):
            yield from _template_problems(here, text, call, before)
        if parameter.role == "secret" and not references_in(value):
            yield Problem(here, "is a secret, and secrets are never saved; make it an input with `secret`")


def _template_problems(place: str, template: str, call: SavedCall, before: list[str]) -> Iterator[Problem]:
    if problem := template_problem(template):
        yield Problem(place, f"{visible_line(problem)}. For text with braces, make the argument an input")
        return
    inputs = [one.name for one in call.inputs]
    for path in references_in(template):
        root = root_of(path)
        shown = shortened(visible_line(f"{{{path}}}"), 60)
        if path.startswith(("@", "#")):
            if root not in before:
                later = any(step.id == root for step in call.steps)
                why = "runs later" if later else f"does not exist{nearest(root, before)}"
                yield Problem(place, f"refers to {shown}, but the step {_shown(root)} {why}; refer to an earlier step")
        elif root not in inputs:
            message = f"refers to {shown}, but there is no input {_shown(root)}{nearest(root, inputs)}; add it to `inputs`"
            yield Problem(place, message)


def _shown(value: str) -> str:
    return shortened(visible_line(f"“{value}”"), 60)
