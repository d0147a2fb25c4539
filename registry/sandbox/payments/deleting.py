"""Operations that delete, with their preconditions and effects.

Every deletion is one transaction of the store: the preconditions are checked, and all effects happen or none. The response is
the short form of the deleted object; a second deletion responds that there is no such object.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from registry.sandbox.payments import discounts
from registry.sandbox.payments.calls import Call
from registry.sandbox.payments.errors import missing
from registry.sandbox.payments.parameters import arguments
from registry.sandbox.payments.preconditions import CLOCK_NEEDS, clock_is_not_advancing
from registry.sandbox.payments.removing import Remover
from registry.sandbox.payments.rendering import Json
from registry.sandbox.store import StoredRow

Effect = Callable[[Remover, StoredRow], None]


class Deletion(NamedTuple):
    """Deletes the object whose id ends the path.

    Attributes:
        kinds: the kinds that it can be of.
        owner: the kind of the first id of the path, where the path has two.
        by: the object's field that holds its owner's id.
        called: its name in the error if it does not exist; by default the first kind.
        check: refuses if a precondition is not met.
        effect: makes the other changes, before the object is deleted.
        needs: the other kinds that the check and the effect look at, or what names them.
        test_only: live keys are refused.
    """

    kinds: tuple[str, ...]
    owner: str = ""
    by: str = ""
    called: str = ""
    check: Effect | None = None
    effect: Effect | None = None
    needs: Sequence[str] | Callable[[], Sequence[str]] = ()
    test_only: bool = False

    def answer(self, call: Call) -> Json:
        """The short form of what was deleted."""
        if self.test_only:
            call.test_mode_only()
        arguments(call.query, (), expands=False)
        reader = call.reader
        owners = [self.owner] if self.owner else []
        needs = self.needs() if callable(self.needs) else self.needs
        with reader.changes([*self.kinds, *owners, *needs, *CLOCK_NEEDS]):
            if self.owner:
                reader.require((self.owner,), call.ids[0], call.names[0])
            found = reader.require(
                self.kinds,
                call.ids[-1],
                call.names[-1],
                called=self.called,
                fits=lambda row: not self.by or row.body.get(self.by) == call.ids[0],
            )
            remover = Remover(reader)
            clock_is_not_advancing(remover, found)
            if self.check:
                self.check(remover, found.row)
            if self.effect:
                self.effect(remover, found.row)
            remover.remove(found.kind, found.row)
        return call.renderer.deleted(found.kind, found.row.id)


class DiscountRemoval(NamedTuple):
    """Removes the discount of a customer or a subscription; returns the discount as it was, marked as deleted."""

    on: str

    def answer(self, call: Call) -> Json:
        """The removed discount."""
        arguments(call.query, (), expands=False)
        reader = call.reader
        with reader.changes(("subscription", "discount", *CLOCK_NEEDS)):
            bearing = discounts.bearer(call, self.on)
            id_ = discounts.of(bearing)
            row = reader.get("discount", id_)
            if row is None:
                raise missing("discount", id_, "discount")
            remover = Remover(reader)
            clock_is_not_advancing(remover, bearing)
            if bearing.kind == "customer":
                remover.update(bearing.kind, bearing.row, discount=None)
            else:
                remover.update(bearing.kind, bearing.row, discounts=bearing.row.body["discounts"][1:])
            remover.remove("discount", row)
            return call.renderer.object("discount", row) | {"deleted": True}
