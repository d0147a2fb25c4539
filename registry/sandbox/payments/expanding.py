"""The parameter `expand`: paths of fields, checked against the shapes before anything is read.

A path names, step by step, references that become whole objects, and fields that are otherwise omitted. In lists and searches
every path starts with ``data``; a path has at most four steps, including ``data``. Whether a path is allowed depends only on
the kinds, never on the stored objects.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from registry.sandbox.payments.errors import refused
from registry.sandbox.payments.shapes import kinds_of, shapes

Tree = dict[str, "Tree"]

MOST_STEPS = 4

LEFT_OUT = frozenset(
    {
        ("coupon", "applies_to"),
        ("coupon", "currency_options"),
        ("customer", "cash_balance"),
        ("customer", "invoice_credit_balance"),
        ("customer", "tax"),
        ("issuing.card", "cvc"),
        ("issuing.card", "number"),
        ("plan", "tiers"),
        ("price", "currency_options"),
        ("price", "tiers"),
    }
)
"""Fields that a response has only if they are expanded; lists have that in their shape."""


def tree(paths: Iterable[str], kinds: Sequence[str], *, listed: bool = False) -> Tree:
    """The paths as one tree of names, from the top of a response.

    Args:
        paths: dotted paths.
        kinds: the kinds of the response's object, or of its list's objects.
        listed: the response is a list or a search result.

    Raises:
        ApiError: 400, for a path that is too long or names something that cannot be expanded.
    """
    top: Tree = {}
    for path in paths:
        steps = path.split(".")
        if len(steps) > MOST_STEPS:
            raise refused(f"You cannot expand more than {MOST_STEPS} levels of a property.")
        if listed and path == "total_count":
            raise refused("This property cannot be included (total_count).", code="property_forbidden")
        if not _allowed(kinds, steps, listed):
            hint = "" if not listed or steps[0] == "data" else f" You may want to try expanding 'data.{path}' instead."
            raise refused(f"This property cannot be expanded ({path}).{hint}")
        branch = top
        for step in steps:
            branch = branch.setdefault(step, {})
    return top


def _allowed(kinds: Sequence[str], steps: list[str], listed: bool) -> bool:
    if listed:
        return steps[0] == "data" and len(steps) > 1 and _expands(kinds, steps[1:])
    return _expands(kinds, steps)


def _expands(kinds: Sequence[str], steps: list[str]) -> bool:
    known = shapes()
    return not steps or any(_expands_in(kind, steps) for kind in kinds if kind in known)


def _expands_in(kind: str, steps: list[str]) -> bool:
    shape = shapes()[kind]
    name, rest = steps[0], steps[1:]
    field = shape.fields.get(name)
    if field is None:
        return False
    if field["type"] == "list":
        return not rest or (rest[0] == "data" and len(rest) > 1 and _expands(kinds_of(field["of"]), rest[1:]))
    if "ref" in field and field.get("expandable"):
        return _expands(kinds_of(field["ref"]), rest)
    if holds_objects(field):
        return _expands(kinds_of(field["of"]), rest)
    if (kind, name) in LEFT_OUT and not rest:
        return True
    for path, reference in shape.inside.items():
        inner = path.replace("[]", "").split(".")
        if reference.get("expandable") and steps[: len(inner)] == inner:
            return _expands(kinds_of(reference["ref"]), steps[len(inner) :])
    return False


def holds_objects(field: dict[str, object]) -> bool:
    """Whether a field holds whole objects, one or several, that are stored as ids."""
    of = field.get("of")
    return field["type"] in ("object", "array", "map") and (isinstance(of, list) or of in shapes())
