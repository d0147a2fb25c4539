"""The records of a playbook: inputs, steps and outputs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from registry.catalog.model import Parameter, Returns, Tool

InputType = Literal["string", "integer", "number", "boolean", "array", "object"]

INPUT_TYPES: tuple[InputType, ...] = ("string", "integer", "number", "boolean", "array", "object")


def input_type(name: str) -> InputType | None:
    """The type of inputs with this name; None if there is none."""
    return next((one for one in INPUT_TYPES if one == name), None)


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem of a playbook: the place in its file (``steps.charges.arguments.customer_id``), and what is wrong and why."""

    place: str
    message: str

    def __str__(self) -> str:
        return f"`{self.place}` {self.message}" if self.place else self.message


class PlaybookError(Exception):
    """A playbook cannot be read, saved or run: the cause, and what to do.

    Attributes:
        cause: what is wrong.
        way_out: what to do.
        problems: all problems, if there is more than one.
    """

    def __init__(self, cause: str, way_out: str = "", problems: tuple[Problem, ...] = ()) -> None:
        super().__init__(f"{cause} {way_out}".strip())
        self.cause = cause
        self.way_out = way_out
        self.problems = problems


@dataclass(frozen=True, slots=True)
class Input:
    """A value that a run needs.

    Attributes:
        name: how steps refer to it: ``{name}``.
        type: its type; values are validated like arguments of that type.
        object_type: the type of the object whose id it is; empty if it is not an id. ``object`` in files.
        values: the only values that are accepted; empty for any.
        default: the value if none is given.
        example: an earlier value; shown, never used.
        help: its purpose.
        required: a run needs it, unless there is a default.
        secret: its value is never shown and never saved.
    """

    name: str
    type: InputType = "string"
    object_type: str = ""
    values: tuple[str, ...] = ()
    default: object = None
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


@dataclass(frozen=True, slots=True)
class Step:
    """One call.

    Attributes:
        id: how later steps refer to its response: ``{@id.path}``.
        tool: the tool's name.
        arguments: by parameter: templates or values; templates may be inside objects and lists.
    """

    id: str
    tool: str
    arguments: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Playbook:
    """A chain of calls.

    Attributes:
        name: unique among the stored playbooks.
        steps: in the order of the calls.
        inputs: the values that a run needs.
        outputs: templates of a run's results, by name.
        about: its purpose.
        shared: the shared folder with its file; empty for the user's own. Only the file's location says this, not its content.
    """

    name: str
    steps: tuple[Step, ...]
    inputs: tuple[Input, ...] = ()
    outputs: Mapping[str, str] = field(default_factory=dict)
    about: str = ""
    shared: str = ""

    @property
    def reference(self) -> str:
        """Its unambiguous name: ``FOLDER/NAME`` in a shared folder."""
        return f"{self.shared}/{self.name}" if self.shared else self.name

    def input(self, name: str) -> Input | None:
        """The input with a name, or None."""
        return next((one for one in self.inputs if one.name == name), None)

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
