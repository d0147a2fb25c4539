"""The records of a saved call: inputs, steps and outputs."""

from typing import Any, Literal, get_args

import msgspec

from registry.catalog.model import Parameter, Returns, Tool
from registry.json_text.values import dumps, is_text
from registry.text.safe_text import visible_line

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
            takes = f"takes {', '.join(one.name for one in self.inputs)}" if self.inputs else ""
            words = [f"{len(self.steps)} steps", takes]
        return visible_line(" · ".join(filter(None, [f"from {self.shared}" if self.shared else "", *words])))

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

    def with_argument(self, name: str, value: object) -> "SavedCall":
        """The same with an argument added to its first step, or replaced there."""
        first, *others = self.steps
        first = msgspec.structs.replace(first, arguments={**first.arguments, name: value})
        return msgspec.structs.replace(self, steps=(first, *others))
