"""The world's times lie in the past and in order, and the world depends on its seed and its moment only."""

import pytest

from registry.sandbox.payments.shapes import shapes
from registry.sandbox.world import World
from tests.sampled import chosen
from tests.sandbox.test_world_references import LARGER, NOW, WORLD, by_id, lost, written

# The end of a leap February, of a year, of a long month; a midnight; and the usual moment.
MOMENTS = (1_709_200_000, 1_767_139_199, 1_785_500_000, 1_740_787_200, NOW)

_WORLDS = [*(World(1, now) for now in MOMENTS), LARGER, *(World(3, now, customers=300) for now in MOMENTS[:2])]

# The long suite takes the others.
_QUICK = (World(1, 1_740_787_200), LARGER)

moments = pytest.mark.parametrize(
    "world", chosen(_WORLDS, _QUICK.__contains__), ids=lambda world: f"{world.now}/{world.customers}"
)


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
    assert lost(world) == []


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
    for now in MOMENTS[:2]:
        there = written(World(1, now))
        for kind in set(shapes()) - weekly:
            assert {row.id for row in first.get(kind, ())} == {row.id for row in there.get(kind, ())}, (kind, now)
