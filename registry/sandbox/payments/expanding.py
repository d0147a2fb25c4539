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


def tree(paths: Iterable[str], kinds: Sequence[str], *, listed: bool = False) -> Tree:
    """The paths as one tree of names, from the top of a response: of an object of these kinds, or of a list or search of them.

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
        if not (_within_data(kinds, steps) if listed else _expands(kinds, steps)):
            hint = "" if not listed or steps[0] == "data" else f" You may want to try expanding 'data.{path}' instead."
            raise refused(f"This property cannot be expanded ({path}).{hint}")
        branch = top
        for step in steps:
            branch = branch.setdefault(step, {})
    return top


def _within_data(kinds: Sequence[str], steps: list[str]) -> bool:
    return steps[0] == "data" and len(steps) > 1 and _expands(kinds, steps[1:])


def _expands(kinds: Sequence[str], steps: list[str]) -> bool:
    return not steps or any(_expands_in(kind, *steps) for kind in kinds if kind in shapes())


def _expands_in(kind: str, name: str, *rest: str) -> bool:
    shape = shapes()[kind]
    field = shape.fields.get(name)
    if field is None:
        return False
    if field["type"] == "list":
        return not rest or _within_data(kinds_of(field["of"]), list(rest))
    if "ref" in field and field.get("expandable"):
        return _expands(kinds_of(field["ref"]), list(rest))
    if holds_objects(field):
        return _expands(kinds_of(field["of"]), list(rest))
    if "shown" in field and not rest:
        return True
    for path, reference in shape.inside.items():
        inner = path.replace("[]", "").split(".")
        if reference.get("expandable") and [name, *rest][: len(inner)] == inner:
            return _expands(kinds_of(reference["ref"]), [name, *rest][len(inner) :])
    return False


def holds_objects(field: dict[str, object]) -> bool:
    """Whether a field holds whole objects, one or several, that are stored as ids."""
    of = field.get("of")
    return field["type"] in ("object", "array", "map") and (isinstance(of, list) or of in shapes())
