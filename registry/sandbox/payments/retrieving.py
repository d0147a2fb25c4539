"""Operations that return one object, or a page of a list.

Cursors of a list name one of its own members: ``starting_after`` returns the page just after an object, ``ending_before`` the
one just before it; both omit the object itself and keep the list's order, and ``has_more`` is about the requested direction.
"""

from itertools import groupby

from registry.sandbox.payments.errors import ApiError, failing, missing, refused
from registry.sandbox.payments.operations import DECLARED, EVENT_AGE, Call, Parameter, Value
from registry.sandbox.payments.reading import Found, Paging, Reader, of_owner, window
from registry.sandbox.payments.rendering import Json, deleted
from registry.sandbox.store import Body, FieldCondition, OneOf, Other, StoredRow, Where
from registry.sandbox.world import DAY, HOUR, MINUTE

READABLE_WHEN_DELETED = frozenset({"customer", "terminal.configuration", "terminal.location", "terminal.reader"})

_ALONE = "self"
"""The id under which objects without an id are kept of which there is one."""


def one(call: Call) -> Json:
    """The object whose id ends the path; the short form of a deleted one, if that can still be read."""
    reader, kind, id_ = call.reader, call.operation.kinds[0], list(call.ids.values())[-1]
    if kind in READABLE_WHEN_DELETED and reader.get(kind, id_) is None and reader.gone(kind, id_):
        return deleted(kind, id_)
    public, secret = call.key.publishable, call.values.get("client_secret")
    if public and secret is None:
        raise failing("publishable key")
    kind, row = call.found()
    if kind == "invoice_rendering_template":
        wanted = call.values.get("version")
        versions = [body for body in (row.body, *row.body.get("_versions", ())) if wanted in (None, body["version"])]
        if not versions:
            raise missing("version of the invoice rendering template", str(wanted), "version")
        row = StoredRow(row.id, row.created, row.body | versions[0])
    if secret not in (None, row.body.get("client_secret")):
        wrong = refused(f"The client_secret does not belong to this {kind}.", param="client_secret")
        raise failing("publishable key") if public else wrong
    shown = call.show(kind, row)
    return {name: shown[name] for name in DECLARED["public"].get(kind, shown) if name in shown} if public else shown


def alone(call: Call) -> Json:
    """What the account has one of, or the connected account; the balance of an account without live business is zero."""
    (kind,), reader = call.operation.kinds, call.reader
    row = reader.require((kind,), reader.own_account if kind == "account" else _ALONE, "id").row
    body = row.body
    if reader.acting and kind != "account":
        account = reader.require(("account",), reader.acting, "account").row
        read = {"balance": _balance, "balance_settings": _balance_settings}.get(kind)
        body = read(reader, account) if read else _TAX_SETTINGS
    elif kind == "balance" and call.key.live:
        body = {
            name: [{"amount": 0, "currency": part["currency"], "source_types": {"card": 0}} for part in parts]
            for name, parts in row.body.items()
            if isinstance(parts, list)
        }
    return call.show(kind, StoredRow(row.id, row.created, body))


# What a connected account has one of. It does no business itself; its money is what the platform transferred to it, less what
# was taken back and less the platform's fees.


def _balance(reader: Reader, account: StoredRow) -> Body:
    """All that was transferred to the account has arrived; nothing is on its way."""
    amounts = {str(account.body.get("default_currency", "usd")): 0}
    for kind, by, back, sign in (
        ("transfer", "destination", "amount_reversed", 1),
        ("application_fee", "account", "amount_refunded", -1),
    ):
        reader.datasets.ensure(kind)
        for one in reader.store.every(kind, {by: account.id}):
            currency = one.body["currency"]
            amounts[currency] = amounts.get(currency, 0) + sign * (one.body["amount"] - one.body[back])
    available = [{"amount": some, "currency": of, "source_types": {"card": some}} for of, some in amounts.items()]
    return {"available": available, "pending": [part | {"amount": 0, "source_types": {"card": 0}} for part in available]}


def _balance_settings(_: Reader, account: StoredRow) -> Body:
    said: Body = (account.body.get("settings") or {}).get("payouts") or {}
    schedule: Body = said.get("schedule") or {}
    payouts = {
        "automatic_transfer_rules_by_currency": None,
        "minimum_balance_by_currency": None,
        "schedule": {name: schedule[name] for name in ("interval", "weekly_payout_days") if name in schedule},
        "statement_descriptor": said.get("statement_descriptor"),
        "status": "enabled" if account.body.get("payouts_enabled") else "disabled",
    }
    timing = {"delay_days": schedule.get("delay_days", 2), "delay_days_override": None}
    owed = said.get("debit_negative_balances", True)
    return {"payments": {"debit_negative_balances": owed, "payouts": payouts, "settlement_timing": timing}}


# The platform does not know yet where the account has its head office.
_TAX_SETTINGS: Body = {
    "defaults": {"provider": "stripe", "tax_behavior": None, "tax_code": None},
    "head_office": None,
    "status": "pending",
    "status_details": {"pending": {"missing_fields": ["head_office"]}},
}


def owned(call: Call) -> Json:
    """The one object of a kind that an owner has, by the field with the owner's id or kept under that id."""
    (kind,), by, reader, owner = call.operation.kinds, call.operation.by, call.reader, call.owner()
    row = reader.get(kind, owner.id) if not by else next((one.row for one in reader.every((kind,), {by: owner.id})), None)
    if row is None and kind == "cash_balance":
        settings = {"reconciliation_mode": "automatic", "using_merchant_default": True}
        row = StoredRow(owner.id, owner.created, {"available": None, "customer": owner.id, "settings": settings})
    if row is None:
        raise missing(f"{kind} for {call.operation.owner}", owner.id, next(iter(call.ids)))
    return call.show(kind, row)


def capability(call: Call) -> Json:
    """One capability of an account; they are named and not numbered."""
    account, name = call.owner().id, call.ids["capability"]
    row = call.reader.get("capability", f"{account}/{name}")
    if row is None:
        raise missing("capability", name, "capability")
    return call.show("capability", row)


def discount(call: Call) -> Json:
    """The discount of a customer, or of a subscription of a customer."""
    return call.show("discount", bearer(call)[1])


def bearer(call: Call) -> tuple[Found, StoredRow]:
    """The customer or subscription that has a discount, and the discount, the first of several.

    A customer in front of a subscription must be its own.

    Raises:
        ApiError: 404; there is no such bearer, or it has no discount.
    """
    reader, (*customers, (name, id_)) = call.reader, call.ids.items()
    for customer, customer_id in customers:
        reader.require(("customer",), customer_id, customer)
    found = reader.require(
        (call.operation.owner,), id_, name, fits=lambda row: not customers or row.body["customer"] == customers[0][1]
    )
    body = found.row.body
    held = [body.get("discount")] if found.kind == "customer" else body.get("discounts") or [None]
    if held[0] is None:
        raise ApiError(404, f"No active discount for {found.kind}: {found.row.id}", code="resource_missing")
    return found, reader.require(("discount",), held[0], "discount").row


USAGE = "_usage"
"""The kind of single meter events, which are not shown."""

_EVERYTHING = 1_000_000_000
_STEPS = {"minute": MINUTE, "hour": HOUR, "day": DAY}


def members(call: Call) -> Json:
    """A page of the objects that meet the conditions of the query."""
    operation, values = call.operation, call.values
    wanted = _paging(call) if operation.paged else Paging(limit=_EVERYTHING)
    where: dict[str, FieldCondition] = dict(operation.only)
    kinds = [kind for kind in operation.kinds if values.get("object", kind) == kind]
    if operation.owner:
        owner = call.owner()
        kinds, theirs = of_owner(kinds, operation.by, owner.id)
        where |= theirs
        if operation.by == "ownership":  # owners of a linked account are as of one reading, which has to be the account's own
            where["ownership"] = owner.body.get("ownership")
            if values["ownership"] != where["ownership"]:
                raise missing("financial_connections.account_ownership", values["ownership"], "ownership", status=400)
    for name, parameter in operation.filters.items():
        if name in values:
            for field, condition in _condition(call.reader, name, parameter, values[name]).items():
                where[field] = _both(where[field], condition) if field in where else condition
    if operation.clock and not values.keys() & {"customer", "test_clock"}:
        where[operation.clock] = None
    return call.show_page(*call.reader.page(kinds, where, wanted, oldest_first=operation.oldest_first))


def _condition(reader: Reader, name: str, parameter: Parameter, value: Value) -> Where:
    """What a parameter asks of the members of a list.

    Raises:
        ApiError: 400, it names an object that does not exist.
    """
    path = parameter.path or name
    if parameter.refers:
        reader.require((parameter.refers,), str(value), name, status=400)
    if parameter.through:
        owning = reader.every((parameter.through,), {name: value})
        return {path: OneOf(tuple(one.row.id for one in owning))}
    if parameter.type == "flag":  # an object without the field counts as false
        return {path: True if bool(value) != parameter.inverted else Other(value=True)}
    return {} if value == parameter.every else {path: parameter.stored.get(str(value), value)}


def _both(*conditions: FieldCondition) -> FieldCondition:
    """Two conditions of one field, which are values: of a status, and of an outcome that the status tells."""
    one, other = (each.values if isinstance(each, OneOf) else (each,) for each in conditions if not isinstance(each, Other))
    return OneOf(tuple(value for value in one if value in other))


def recent_events(call: Call) -> Json:
    """The events that can still be read, newest first, all or of one type."""
    found = call.reader.every(("event",), {"type": call.values["type"]} if "type" in call.values else {})
    recent = [one for one in found if one.row.created >= call.now - EVENT_AGE]
    return call.show_page(*window(recent, _paging(call), "event"))


def summaries(call: Call) -> Json:
    """What a customer used of a meter within a window of time, as one sum or by the hour or the day, the newest window first.

    Windows begin on whole minutes, hours or days (UTC), so that a summary always covers all of its window; its id is derived
    from the meter, the customer and the window.
    """
    wanted, (kind,), reader = _paging(call), call.operation.kinds, call.reader
    start, end, unit = call.values["start_time"], call.values["end_time"], call.values.get("value_grouping_window", "minute")
    for name, moment in (("start_time", start), ("end_time", end)):
        if moment % _STEPS[unit]:
            raise refused(f"Invalid {name}: it must lie on a whole {unit} (UTC), and {moment} does not.", param=name)
    if start >= end:
        raise refused("Invalid end_time: it must be later than start_time.", param="end_time")
    meter = call.owner()
    customer = reader.require(("customer",), call.values["customer"], "customer", status=400).row.id
    reader.datasets.ensure(USAGE)
    condition = "json_extract(body, '$.customer') = ? AND json_extract(body, '$.meter') = ? AND created >= ? AND created < ?"
    events, _ = reader.store.find(USAGE, condition, [customer, meter.id, start, end], limit=_EVERYTHING)
    step = end - start if unit == "minute" else _STEPS[unit]
    groups: dict[int, list[StoredRow]] = {start: []} if unit == "minute" else {}
    groups |= {
        begin: list(some) for begin, some in groupby(reversed(events), lambda one: start + (one.created - start) // step * step)
    }
    found = []
    for begin, some in sorted(groups.items(), reverse=True):
        id_ = "mtrusg_" + reader.world.token(f"usage/{meter.id}/{customer}/{begin}/{begin + step}", 24)
        # Of the events of a window, oldest first: their sum, their number, or the last one's value.
        values: list[float] = [event.body["value"] for event in some]
        other = {"count": len(values), "last": values[-1] if values else 0}
        value = other.get(meter.body["default_aggregation"]["formula"], sum(values))
        body = {"aggregated_value": value, "start_time": begin, "end_time": begin + step, "meter": meter.id}
        found.append(Found(kind, StoredRow(id_, begin, body)))
    return call.show_page(*window(found, wanted, kind))


def _paging(call: Call) -> Paging:
    after, before = call.values.get("starting_after"), call.values.get("ending_before")
    if after is not None and before is not None:
        raise refused("Received both starting_after and ending_before parameters. Please pass in only one.")
    return Paging(call.values.get("limit", call.operation.limit or Paging().limit), after, before)
