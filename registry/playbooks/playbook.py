"""The records of a playbook: inputs, steps and outputs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from registry.catalog.model import Parameter, Returns, Tool

InputType = Literal["string", "integer", "number", "boolean", "array", "object"]

INPUT_TYPES: tuple[InputType, ...] = ("string", "integer", "number", "boolean", "array", "object")


def input_type(name: str) -> InputType | None:
    """The type of inputs of that name; None where there is none."""
    return next((one for one in INPUT_TYPES if one == name), None)


@dataclass(frozen=True, slots=True)
class Problem:
    """Something wrong with a playbook: the place in its file (``steps.charges.arguments.customer_id``), and what and why."""

    place: str
    message: str

    def __str__(self) -> str:
        return f"`{self.place}` {self.message}" if self.place else self.message


class PlaybookError(Exception):
    """A playbook cannot be read, saved or run: the cause, and what to do.

    Attributes:
        cause: what is wrong.
        way_out: what to do.
        problems: everything that is wrong, where that is more than one thing.
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
        type: what it is; values are validated as arguments of that type are.
        object_type: the type of the object whose id it is; empty where it is no id. ``object`` in files.
        values: the only values that are accepted; empty for any.
        default: what is used where no value is given.
        example: a value that it once had; shown, never used.
        help: what it is for.
        required: a run without it is refused, unless there is a default.
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
        arguments: by parameter: templates, or values as they are; templates may be inside objects and lists.
    """

    id: str
    tool: str
    arguments: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Playbook:
    """A chain of calls.

    Attributes:
        name: unique among those that are kept.
        steps: in the order in which they are called.
        inputs: what a run needs.
        outputs: templates of what a run gives, by name.
        about: what it is for.
        shared: the shared folder that it comes from; empty for one's own. No file says so: where it lies does.
    """

    name: str
    steps: tuple[Step, ...]
    inputs: tuple[Input, ...] = ()
    outputs: Mapping[str, str] = field(default_factory=dict)
    about: str = ""
    shared: str = ""

    @property
    def reference(self) -> str:
        """The name under which it is found whatever else there is: ``FOLDER/NAME`` for one of a shared folder."""
        return f"{self.shared}/{self.name}" if self.shared else self.name

    def input(self, name: str) -> Input | None:
        """The input of a name, or None."""
        return next((one for one in self.inputs if one.name == name), None)

    def form(self, toolkit: str) -> Tool:
        """The inputs as a tool's parameters; `toolkit` is where their ids are known. It is never called."""
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
