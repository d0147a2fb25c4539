"""What a toolkit declares about lists of objects and forms of tools, in the ``lists.json`` in its folder, if it has one."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import msgspec
from msgspec import Struct, field

from registry.catalog.loader import declarations
from registry.catalog.model import Parameter, Tool
from registry.results.templates import template_problem

Texts = str | tuple[str, ...]


class Notice(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A reason why an object needs attention.

    Attributes:
        when: the values that properties then have.
        says: the reason, in words that follow a number: ``with a failed payment``.
        has: properties that are then not null.
    """

    when: dict[str, str | int | float | bool | None]
    says: str
    has: tuple[str, ...] = ()

    def holds(self, values: Mapping[str, Any]) -> bool:
        """Whether it applies to an object with these properties."""
        given = ((values.get(name), wanted) for name, wanted in self.when.items())
        fits = all(value == wanted and type(value) is type(wanted) for value, wanted in given)
        return fits and all(values.get(name) is not None for name in self.has)


class ListedObject(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One type of object.

    Attributes:
        one: the noun for one of them; by default the words of the type.
        many: the noun for several.
        notices: reasons to look at an object; the first that applies counts.
        sum: the property whose amounts are worth adding up, separately for each currency; empty for none.
        refunded: the property whose amounts were paid back of these.
        sum_says: the state of the objects that count, which says what the sum is: ``open``; empty if all must be in one state.
        columns: the columns of their tables in order, at most seven, by heading. Each is a text with values in it
            (`registry.results.templates`), or several, of which the first one whose values all exist is shown.
        conditions: what a condition of a search means, where its own words would mislead, by the condition.
    """

    one: str = ""
    many: str = ""
    notices: tuple[Notice, ...] = ()
    sum: str = ""
    refunded: str = ""
    sum_says: str = ""
    columns: Annotated[dict[str, Texts], msgspec.Meta(max_length=7)] = {}
    conditions: dict[str, str] = {}

    def __post_init__(self) -> None:
        for texts in self.columns.values():
            for text in (texts,) if isinstance(texts, str) else texts:
                if problem := template_problem(text):
                    raise ValueError(f"`columns` {problem}")

    def notice_of(self, values: Mapping[str, Any]) -> str:
        """Why an object needs attention; empty if it does not."""
        return next((one.says for one in self.notices if one.holds(values)), "")


class Lists(Struct, frozen=True):
    """A toolkit's declarations: lists by object type, and the order of a form's fields by tool, the important ones first."""

    objects: Mapping[str, ListedObject] = field(default_factory=dict)
    fields: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def listed(self, types: Sequence[str]) -> ListedObject:
        """The declarations for the first of these types; empty ones if there are none."""
        return next((self.objects[one] for one in types if one in self.objects), ListedObject())


def in_order(tool: Tool) -> Sequence[Parameter]:
    """A tool's parameters as a form asks for them: in the declared order, and then as the service documents them."""
    order = lists_of(tool.toolkit).fields.get(tool.own_name, ())
    return sorted(tool.parameters, key=lambda one: order.index(one.name) if one.name in order else len(order))


lists_of, read_lists = declarations(
    "lists.json",
    ("objects", "fields"),
    lambda file: Lists(file.entries("objects", ListedObject), file.entries("fields", tuple[str, ...])),
)
