"""Operations that return one object."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from registry.sandbox.payments import discounts, expanding
from registry.sandbox.payments.calls import Call
from registry.sandbox.payments.connected import OWN
from registry.sandbox.payments.errors import missing, needs_secret_key, refused
from registry.sandbox.payments.parameters import Arguments, Parameter, arguments
from registry.sandbox.payments.reading import READABLE_WHEN_DELETED, Found
from registry.sandbox.payments.rendering import Json
from registry.sandbox.store import Body, StoredRow

Rule = Callable[[Call, StoredRow], None]

ALONE = "self"
"""The id under which objects without an id are kept of which there is one."""

_PUBLIC = {
    "payment_intent": "id object amount amount_details automatic_payment_methods canceled_at cancellation_reason "
    "capture_method client_secret confirmation_method created currency description last_payment_error livemode next_action "
    "payment_method payment_method_configuration_details payment_method_types processing receipt_email setup_future_usage "
    "shipping source status",
    "setup_intent": "id object automatic_payment_methods cancellation_reason client_secret created description "
    "last_setup_error livemode next_action payment_method payment_method_configuration_details payment_method_types status "
    "usage",
}
"""What the bearer of a client secret may see of an intent."""


class One(NamedTuple):
    """The object whose id ends the path.

    Attributes:
        kinds: the kinds that it can be of.
        owner: the kind of the first id of the path, where the path has two.
        by: the object's field that holds its owner's id.
        called: its name in the error if it does not exist; by default the first kind.
        rule: a further precondition.
        test_only: live keys are refused.
    """

    kinds: tuple[str, ...]
    owner: str = ""
    by: str = ""
    called: str = ""
    rule: Rule | None = None
    test_only: bool = False

    def answer(self, call: Call) -> Json:
        """The object, expanded as requested; the short form of a deleted one, if that can still be read."""
        if self.test_only:
            call.test_mode_only()
        asked = arguments(call.query, (), expands=True)
        tree = expanding.tree(asked.expand, self.kinds)
        kind, id_ = self.kinds[0], call.ids[-1]
        if kind in READABLE_WHEN_DELETED and call.reader.get(kind, id_) is None and call.reader.gone(kind, id_):
            return call.renderer.deleted(kind, id_)
        found = self._find(call)
        return call.renderer.object(found.kind, found.row, tree)

    def _find(self, call: Call) -> Found:
        if self.owner:
            call.reader.require((self.owner,), call.ids[0], call.names[0])
        found = call.reader.require(
            self.kinds,
            call.ids[-1],
            call.names[-1],
            called=self.called,
            fits=lambda row: not self.by or row.body.get(self.by) == call.ids[0],
        )
        if self.rule:
            self.rule(call, found.row)
        return found


class WithSecret(NamedTuple):
    """An object that a publishable key can read with the object's client secret; it then gets only a part of an intent."""

    kind: str

    def answer(self, call: Call) -> Json:
        """The object, or the part of it that is meant for the public."""
        asked = arguments(call.query, (Parameter("client_secret"),), expands=True)
        tree = expanding.tree(asked.expand, (self.kind,))
        secret = asked.text("client_secret")
        if call.key.publishable and secret is None:
            raise needs_secret_key()
        row = call.reader.require((self.kind,), call.ids[0], call.names[0]).row
        if secret is not None and secret != row.body.get("client_secret"):
            if call.key.publishable:
                raise needs_secret_key()
            raise refused(f"The client_secret does not belong to this {self.kind}.", param="client_secret")
        shown = call.renderer.object(self.kind, row, tree)
        if call.key.publishable and self.kind in _PUBLIC:
            return {name: shown[name] for name in _PUBLIC[self.kind].split() if name in shown}
        return shown


class Alone(NamedTuple):
    """An object of the account of which there is one."""

    kind: str

    def answer(self, call: Call) -> Json:
        """The object, or the connected account's; the balance of an account that has done no live business is zero."""
        asked = arguments(call.query, (), expands=True)
        tree = expanding.tree(asked.expand, (self.kind,))
        id_ = call.reader.own_account if self.kind == "account" else ALONE
        row = call.reader.require((self.kind,), id_, "id").row
        if call.reader.acting and self.kind in OWN:
            row = StoredRow(ALONE, row.created, OWN[self.kind](call.reader))
        if self.kind == "balance" and call.key.live:
            row = _emptied(row)
        return call.renderer.object(self.kind, row, tree)


class OfOwner(NamedTuple):
    """The one object of a kind that an owner has.

    Attributes:
        kind: its kind.
        owner: the kind of the path's id.
        by: the object's field that holds the owner's id; without it the object is kept under the owner's id.
        otherwise: what an owner has of whom nothing is kept.
    """

    kind: str
    owner: str
    by: str = ""
    otherwise: Callable[[str], Body] | None = None

    def answer(self, call: Call) -> Json:
        """The object."""
        asked = arguments(call.query, (), expands=True)
        tree = expanding.tree(asked.expand, (self.kind,))
        owner = call.reader.require((self.owner,), call.ids[0], call.names[0]).row
        if self.by:
            found = call.reader.every((self.kind,), {self.by: owner.id})
            row = found[0].row if found else None
        else:
            row = call.reader.get(self.kind, owner.id)
        if row is None and self.otherwise:
            row = StoredRow(owner.id, owner.created, self.otherwise(owner.id))
        if row is None:
            raise missing(f"{self.kind} for {self.owner}", owner.id, call.names[0])
        return call.renderer.object(self.kind, row, tree)


class Capability:
    """One capability of an account; they are named and not numbered."""

    def answer(self, call: Call) -> Json:
        """The capability."""
        asked = arguments(call.query, (), expands=True)
        tree = expanding.tree(asked.expand, ("capability",))
        account, name = call.ids
        call.reader.require(("account",), account, call.names[0])
        row = call.reader.get("capability", f"{account}/{name}")
        if row is None:
            raise missing("capability", name, call.names[1])
        return call.renderer.object("capability", row, tree)


class Template:
    """An invoice rendering template, in its latest version or an older one."""

    def answer(self, call: Call) -> Json:
        """The template as that version has it."""
        asked = arguments(call.query, (Parameter("version", "integer", lowest=1),), expands=True)
        kind = "invoice_rendering_template"
        tree = expanding.tree(asked.expand, (kind,))
        row = call.reader.require((kind,), call.ids[0], call.names[0]).row
        return call.renderer.object(kind, _version(row, asked), tree)


class Discount(NamedTuple):
    """The discount of a customer, or of a subscription of a customer."""

    on: str

    def answer(self, call: Call) -> Json:
        """The discount."""
        asked = arguments(call.query, (), expands=True)
        tree = expanding.tree(asked.expand, ("discount",))
        bearer = discounts.bearer(call, self.on)
        id_ = discounts.of(bearer)
        return call.renderer.object("discount", call.reader.require(("discount",), id_, "discount").row, tree)


def no_cash(customer: str) -> Body:
    """The cash balance of a customer who never paid anything in."""
    settings = {"reconciliation_mode": "automatic", "using_merchant_default": True}
    return {"available": None, "customer": customer, "settings": settings}


def _emptied(balance: StoredRow) -> StoredRow:
    nothing = {
        name: [{"amount": 0, "currency": part["currency"], "source_types": {"card": 0}} for part in parts]
        for name, parts in balance.body.items()
        if isinstance(parts, list)
    }
    return StoredRow(balance.id, balance.created, nothing)


def _version(row: StoredRow, asked: Arguments) -> StoredRow:
    wanted = asked.integer("version", row.body["version"])
    for body in (row.body, *row.body.get("_versions", ())):
        if body["version"] == wanted:
            return StoredRow(row.id, row.created, row.body | body)
    raise missing("version of the invoice rendering template", str(wanted), "version")
