"""Every deletion on the sandbox: the look before, the refusal where its rule is broken, the act, the state after."""

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from msgspec.structs import replace as with_fields
from starlette.types import ASGIApp

from registry.accounts.connection import Mode
from registry.accounts.secrets import Secret
from registry.catalog.properties import properties_of
from registry.changes.check_result import called, facts_of, in_words, lines
from registry.sandbox.payments.shapes import Builder
from tests.cases import cases_beside
from tests.changes.world import TOOLS, look, place
from tests.sandbox.payments_fakes import FAKES, application, dataset, id_of, new
from tests.test_every_tool import examples

CASES = cases_beside(__file__)

PAST_DUE = "cus_SxAKdn2A4YV4At"
DELETIONS = [tool for tool in TOOLS.values() if tool.effect == "delete"]

# What the look at the example in each tool's help tells, in part.
SEEN = CASES["what a look at a deletion tells"]


@pytest.mark.parametrize("tool", DELETIONS, ids=lambda tool: tool.name)
async def test_look_act_and_state_after(tool: Any) -> None:
    arguments = examples(tool)
    async with place() as one:
        reads = one.reads(tool)
        seen = await look(reads, tool, arguments)
        told = "\n".join(line.text for line in lines(seen, tool))
        assert seen.complete
        assert seen.verdict in ("go", "unknown"), told
        assert SEEN[tool.name] in told, told
        assert "! Cannot be undone." in told
        assert one.wire.changes == [], "looking costs reads only"
        outcome = await one.carry_out(tool, arguments)
        assert (outcome.became, one.wire.changes) == ("done", ["DELETE"])
        after = await look(reads, tool, arguments)
        if tool.returns.objects != ("discount",):
            assert (after.gone, after.verdict) == (True, "refuse")
            assert after.in_the_way.startswith("Not found")
        again = await one.unchecked(tool, arguments)
        assert again.status == 404, "the service says the same"


def cases(table: str) -> list[tuple[str, dict[str, str], str, Mode]]:
    """The lines of a table: tool | arguments, of which KIND/KEY is the id of an object of the tests | words."""
    found: list[tuple[str, dict[str, str], str, Mode]] = []
    for line in table.strip().splitlines():
        name, given, words = (part.strip() for part in line.split("|"))
        values = dict(one.split("=") for one in given.split())
        ids = {key: id_of(*value.split("/")) if "/" in value else value for key, value in values.items()}
        found.append((name, ids, words, "live" if "/live-" in given else "sandbox"))
    return found


BROKEN = cases("""
DeleteInvoiceDraft | invoice_id=invoice/paid | A paid invoice cannot be deleted
DeleteInvoiceDraft | invoice_id=invoice/draft-of-subscription | by a subscription
DeleteInvoiceItem | invoice_item_id=invoiceitem/paid-1 | Only drafts
DeletePaymentsProduct | product_id_to_delete=product/desk | It has 3 prices
DeleteAccountPerson | account_id=account/reseller person_id=person/opener | opened the account
DeleteAccountPersonRelationship | account_id=account/reseller person_id=person/opener | opened the account
DeleteExternalAccount | account_identifier=account/reseller external_account_id=bank_account/payout | Default account
DeleteExternalBankAccount | account_identifier=account/reseller external_account_id=bank_account/payout | Default account
DeletePaymentsConnectedAccount | account_id_to_delete=account/fernway | your own account
DeletePaymentsConnectedAccount | account_id_to_delete=account/independent | does not control
DeletePaymentsConnectedAccount | account_id_to_delete=account/live-standard | full dashboard
DeletePaymentsConnectedAccount | account_id_to_delete=account/live-old | full dashboard
RemoveCustomerDiscount | customer_id=customer/plain | No discount to remove
RemoveSubscriptionDiscount | subscription_id=subscription/ended | No discount to remove
RemoveCustomerSubscriptionDiscount | customer_id=customer/amy subscription_id=subscription/ended | No discount to remove
DeletePaymentsCustomer | customer_id=customer/waiting | is advancing
RemoveCustomerDiscount | customer_id=customer/waiting | is advancing
RemoveSubscriptionDiscount | subscription_id=subscription/waiting | is advancing
RemoveCustomerSubscriptionDiscount | customer_id=customer/waiting subscription_id=subscription/waiting | is advancing
DeleteInvoiceDraft | invoice_id=invoice/waiting | is advancing
DeleteInvoiceItem | invoice_item_id=invoiceitem/waiting | is advancing
DeleteCustomerTaxId | customer_identifier=customer/waiting tax_id=tax_id/waiting | is advancing
DeleteTaxId | tax_id=tax_id/waiting | is advancing
DeletePaymentsCoupon | coupon_id=NOBODY | Not found
""")
UNSEEN = cases("""
DeletePaymentsValueList | value_list_id=radar.value_list/used | whether a rule uses this list
DeleteAccountPerson | account_id=account/reseller person_id=person/chief | could not check whether there is another
DeletePaymentsConnectedAccount | account_id_to_delete=account/live-rich | Could not check whether all balances are zero
""")


def _waiting(builder: Builder) -> None:
    """What hangs on a test clock that is advancing; an account from before dashboards were named."""
    losses = {"type": "application", "losses": {"payments": "stripe"}}
    new(builder, "account", "live-old", type="standard", controller=losses, _live=True)
    clock = new(builder, "test_helpers.test_clock", "autumn", status="advancing", frozen_time=0)
    customer, coupon = builder.id("customer", "waiting"), {"type": "coupon", "coupon": "SPRING10"}
    held = [new(builder, "discount", f"waiting-{n}", customer=customer, source=coupon) for n in (1, 2)]
    new(builder, "customer", "waiting", test_clock=clock, discount=held[0])
    new(builder, "subscription", "waiting", customer=customer, test_clock=clock, status="active", discounts=[held[1]])
    new(builder, "invoice", "waiting", customer=customer, test_clock=clock, status="draft")
    new(builder, "invoiceitem", "waiting", customer=customer, test_clock=clock)
    new(builder, "tax_id", "waiting", customer=customer)


def rules_broken() -> ASGIApp:
    """A sandbox that holds whatever breaks a rule."""
    kinds = ("account", "test_helpers.test_clock", "customer", "discount", "subscription", "invoice", "invoiceitem", "tax_id")
    return application(*FAKES, dataset(_waiting, *kinds))


@pytest.mark.parametrize("mode", ["sandbox", "live"])
async def test_a_broken_rule_is_foreseen_and_what_cannot_be_seen_is_said_to_be_unknown(mode: Mode) -> None:
    async with place(rules_broken(), mode=mode) as one:
        for name, arguments, words, _ in (case for case in BROKEN if case[-1] == mode):
            seen = await look(one.reads(TOOLS[name]), TOOLS[name], arguments)
            assert (seen.verdict, words in seen.in_the_way) == ("refuse", True), (name, seen)
            said = await one.unchecked(TOOLS[name], arguments)
            assert 400 <= (said.status or 0) < 500, "the service says the same"
        for name, arguments, words, _ in (case for case in UNSEEN if case[-1] == mode):
            seen = await look(one.reads(TOOLS[name]), TOOLS[name], arguments)
            assert (seen.verdict, words in str(seen.checks)) == ("unknown", True), seen.checks
            assert (await one.carry_out(TOOLS[name], arguments)).became == "refused"


async def test_a_test_clock_is_not_looked_for_with_a_live_key() -> None:
    """A live key may not even read one, so the rule must be told without; a key that does not say what it is may."""
    tool = TOOLS["DeleteTestClock"]
    arguments = {"test_clock_id": id_of("test_helpers.test_clock", "spring")}
    async with place(application(), mode="live") as one:
        assert (await look(one.reads(tool), tool, arguments)).verdict == "go"
        one.wire.seen.clear()
        endpoint = one.connection.endpoints["PaymentsApi"]
        live = replace(endpoint, credential=Secret("sk_live_51Fernway"))
        one.connection = with_fields(one.connection, endpoints={"PaymentsApi": live})
        seen = await look(one.reads(tool), tool, arguments)
        assert (seen.verdict, seen.in_the_way) == ("refuse", "Test clocks exist in test mode only.")
        assert one.wire.seen == []
        said = await one.unchecked(tool, arguments)
        assert said.status is not None
        assert 400 <= said.status < 500, "the service says the same"


async def test_subscriptions_are_counted_by_status_and_summed_by_the_currency_that_is_billed() -> None:
    tool = TOOLS["DeletePaymentsCustomer"]
    async with place() as one:
        for status in ("past_due", "active", "paused"):
            found = await one.json("SearchPaymentsSubscriptions", search_query_string=f"status:{status}", result_limit=1)
            customer = found["data"][0]["customer"]
            seen = await look(one.reads(tool), tool, {"customer_id": customer})
            line = next(each for each in seen.companions if "cancelled immediately" in each.words)
            held = (await one.json("GetCustomerSubscriptions", customer_id=customer))["data"]
            assert line.count == len(held)
            for each, count in Counter(each["status"].replace("_", " ") for each in held).items():
                assert f"{count} {each}" in line.words, line.words
        seen = await look(one.reads(tool), tool, {"customer_id": PAST_DUE})
        goes_along = {each.words for each in seen.companions}
        assert goes_along >= {
            "1 past due subscription, cancelled immediately: 130.00 BRL a month",
            "1 open invoice, stays open and is not tried again",
        }
    assert in_words(0, False, "tax id, deleted", "tax ids, deleted") == "no tax ids", "nothing becomes of none"


def test_an_object_is_known_by_its_number_and_whose_it_is_by_name() -> None:
    invoice = {"id": "in_1", "number": "FD-1", "customer": "cus_1", "customer_name": "Ada"}
    assert called(invoice) == ("FD-1",)
    assert ("customer", "Ada (cus_1)") in facts_of(invoice, properties_of("PaymentsApi").facts)
