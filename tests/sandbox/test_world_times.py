"""The world's times lie in the past and in order, and the world depends on its seed and its moment only."""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise

import pytest

from registry.sandbox.payments.shapes import shapes
from registry.sandbox.store import StoredRow
from registry.sandbox.world import DAY, World
from tests.sampled import chosen
from tests.sandbox.test_world_references import LARGER, NOW, WORLD, Rows, by_id, hidden_references, references, written

# The end of a leap February, of a year, of a long month; a midnight; and the usual moment.
MOMENTS = (1_709_200_000, 1_767_139_199, 1_785_500_000, 1_740_787_200, NOW)

_WORLDS = [*(World(1, now) for now in MOMENTS), LARGER, *(World(3, now, customers=300) for now in MOMENTS[:2])]

# The long suite takes the others.
_QUICK = (World(1, 1_740_787_200), LARGER)

moments = pytest.mark.parametrize(
    "world", chosen(_WORLDS, _QUICK.__contains__), ids=lambda world: f"{world.now}/{world.customers}"
)

# What an object was made from, or belongs to, is older than it is.
_AFTER = (
    ("charge", "payment_intent"),
    ("refund", "charge"),
    ("dispute", "charge"),
    ("review", "payment_intent"),
    ("radar.early_fraud_warning", "charge"),
    ("invoice", "customer"),
    ("invoice_payment", "invoice"),
    ("line_item", "invoice"),
    ("credit_note", "invoice"),
    ("subscription", "customer"),
    ("subscription_item", "subscription"),
    ("payment_intent", "customer"),
    ("payment_method", "customer"),
    ("card", "customer"),
    ("bank_account", "customer"),
    ("tax_id", "customer"),
    ("mandate", "customer"),
    ("setup_attempt", "setup_intent"),
    ("customer_balance_transaction", "customer"),
    ("price", "product"),
    ("promotion_code", "coupon"),
    ("transfer", "source_transaction"),
    ("transfer_reversal", "transfer"),
    ("application_fee", "charge"),
    ("fee_refund", "fee"),
    ("transfer", "destination"),
    ("person", "account"),
    ("quote", "customer"),
    ("file_link", "file"),
    ("issuing.card", "cardholder"),
    ("issuing.authorization", "card"),
    ("issuing.transaction", "authorization"),
    ("issuing.dispute", "transaction"),
    ("issuing.token", "card"),
    ("treasury.transaction_entry", "transaction"),
    ("treasury.credit_reversal", "received_credit"),
    ("treasury.debit_reversal", "received_debit"),
    ("terminal.reader", "location"),
    ("identity.verification_report", "verification_session"),
    ("billing.credit_balance_transaction", "credit_grant"),
    ("radar.value_list_item", "value_list"),
    ("source_transaction", "source"),
    ("source_mandate_notification", "source"),
    ("tax.transaction", "customer"),
    ("issuing.personalization_design", "physical_bundle"),
)


def everything(world: World) -> dict[str, StoredRow]:
    """All objects by id, without those that are kept under their owner's id."""
    owned = ("plan", "cash_balance", "treasury.financial_account_features")
    return {row.id: row for kind in shapes() if kind not in owned for row in written(world).get(kind, ())}


@moments
def test_nothing_is_newer_than_now(world: World) -> None:
    late = [
        (kind, row.id, row.created - world.now)
        for kind, rows in written(world).items()
        for row in rows
        if row.created > world.now or row.body.get("created", 0) > world.now
    ]
    assert late == []


@moments
def test_objects_are_made_in_order(world: World) -> None:
    known = everything(world)
    wrong = []
    for kind, field in _AFTER:
        compared = 0
        for row in written(world)[kind]:
            id_ = row.body.get(field)
            if isinstance(id_, str) and id_ in known:
                compared += 1
                if known[id_].created > row.created:
                    wrong.append((kind, row.id, field, known[id_].created - row.created))
        assert compared or field in ("coupon", "customer") or kind == "promotion_code", (kind, field)
    assert wrong == []


@moments
def test_money_moves_after_what_moves_it(world: World) -> None:
    known = everything(world)
    payouts = by_id(world, "payout")
    for row in written(world)["balance_transaction"]:
        source = row.body.get("source")
        assert source is None or known[source].created <= row.created <= row.body["available_on"] + DAY
        taken = row.body.get("_payout")
        assert taken is None or payouts[taken].created >= row.created
    for row in written(world)["event"]:
        kind, id_ = row.body["_about"]
        assert by_id(world, kind)[id_].created <= row.created, row.body["type"]


@moments
def test_moments_of_invoices_are_in_order(world: World) -> None:
    for row in written(world)["invoice"]:
        ends = [moment for moment in row.body["status_transitions"].values() if moment is not None]
        finalized = row.body["status_transitions"]["finalized_at"]
        assert all(row.created <= finalized <= moment <= world.now for moment in ends), row.id
        assert row.body["period_start"] <= row.body["period_end"] <= row.created
        assert (row.body.get("due_date") or world.now) >= row.created
    for row in written(world)["invoice_payment"]:
        assert all(moment is None or row.created <= moment <= world.now for moment in row.body["status_transitions"].values())


@moments
def test_periods_of_subscriptions_are_contiguous(world: World) -> None:
    """Each licensed line begins where the one before it ended, and the last one is the item's present period."""
    lines: dict[str, list[StoredRow]] = defaultdict(list)
    for row in written(world)["line_item"]:
        details = (row.body.get("parent") or {}).get("subscription_item_details")
        if details and not details["proration"]:
            lines[details["subscription_item"]].append(row)
    compared = 0
    for item in written(world)["subscription_item"]:
        own = sorted(lines[item.id], key=lambda row: row.body["period"]["start"])
        for earlier, later in pairwise(own):
            metered = item.body.get("quantity") is None
            assert earlier.body["period"]["end"] == later.body["period"]["start"] or metered
            compared += 1
        if item.body.get("quantity") and own:
            period = own[-1].body["period"]
            assert (period["start"], period["end"]) == (item.body["current_period_start"], item.body["current_period_end"])
    assert compared > 150


@moments
def test_running_subscriptions_are_in_their_period(world: World) -> None:
    subscriptions = by_id(world, "subscription")
    for item in written(world)["subscription_item"]:
        subscription = subscriptions[item.body["subscription"]].body
        if subscription["status"] in ("active", "trialing", "past_due", "unpaid"):
            assert item.body["current_period_start"] <= world.now < item.body["current_period_end"]
        elif subscription["status"] == "canceled":
            assert subscription["ended_at"] <= world.now


@moments
def test_references_hold_at_every_moment(world: World) -> None:
    ids = {kind: {row.id for row in rows} for kind, rows in written(world).items()}
    for kind in shapes():
        for row in written(world).get(kind, ()):
            for field, kinds, id_ in (*references(kind, row), *hidden_references(kind, row)):
                fits = any(id_ in ids.get(one, ()) for one in kinds)
                assert fits or (kind, field) == ("charge", "outcome.rule"), (kind, row.id, field, id_)


def plain(rows: Rows) -> dict[str, list[tuple[str, int, str]]]:
    """A world in a form that can be compared."""
    return {kind: [(row.id, row.created, repr(row.body)) for row in found] for kind, found in rows.items()}


def test_the_same_seed_and_moment_give_the_same_world() -> None:
    anew = written.__wrapped__
    assert plain(anew(World(1, NOW))) == plain(written(WORLD))


def test_another_seed_gives_other_ids_and_other_usage() -> None:
    chosen = {"country_spec", "exchange_rate", "tax_code", "reporting.report_type", "coupon"}
    here, there = written(WORLD), written(World(2, NOW))
    for kind in shapes():
        if kind in chosen or not here.get(kind) or here[kind][0].id == "self":
            continue
        assert not {row.id for row in here[kind]} & {row.id for row in there[kind]}, kind
    amounts = [[row.body["amount"] for row in world["line_item"]] for world in (here, there)]
    assert amounts[0] != amounts[1]


def test_ids_do_not_depend_on_the_moment() -> None:
    """Payouts sum up calendar weeks, so that there can be one more or less; everything else is the same set."""
    first = written(WORLD)
    weekly = {"payout", "balance_transaction"}
    for now in MOMENTS:
        there = written(World(1, now))
        for kind in set(shapes()) - weekly:
            assert {row.id for row in first.get(kind, ())} == {row.id for row in there.get(kind, ())}, (kind, now)


def test_the_age_of_things_does_not_depend_on_the_moment() -> None:
    other = World(1, NOW + 400 * DAY)
    here, there = by_id(WORLD, "climate.order"), by_id(other, "climate.order")
    assert {id_: WORLD.now - row.created for id_, row in here.items()} == {
        id_: other.now - row.created for id_, row in there.items()
    }
