"""Single objects: how they are shown, what `expand` adds, what must hold before some are shown; accounts; a quote's PDF."""

import re
from collections.abc import Iterator

import pytest
from starlette.applications import Starlette
from starlette.routing import Mount

from registry.sandbox import server
from registry.sandbox.clock import Clock
from registry.sandbox.payments.quote_pdf import document, money
from registry.sandbox.payments.service import services
from registry.sandbox.world import DAY, World
from tests.sandbox.direct import Direct
from tests.sandbox.payments_fakes import SECRET_KEY, delete, fresh, get, id_of, refusal, small
from tests.sandbox.written_worlds import NOW, WORLD, by_id, written

AMY, CHARGE = id_of("customer", "amy"), f"/v1/charges/{id_of('charge', '7')}"
RUNNING = f"/v1/subscriptions/{id_of('subscription', 'running')}"


def test_expansion_reaches_references_lists_and_hashes() -> None:
    charge = get(f"{CHARGE}?expand[]=customer&expand[]=payment_intent.latest_charge&expand[2]=refunds")
    assert charge["customer"]["email"] == "amy@meadow.example"
    assert charge["payment_intent"]["latest_charge"]["id"] == charge["id"]
    assert (len(charge["refunds"]["data"]), charge["refunds"]["has_more"]) == (10, True)
    paths = (
        "sources", "subscriptions.data.latest_invoice", "default_source.customer", "invoice_settings.default_payment_method",
        "cash_balance", "discount.source.coupon",
    )  # fmt: skip
    customer = get(f"/v1/customers/{AMY}?" + "&".join(f"expand[]={path}" for path in paths))
    assert {one["object"] for one in customer["sources"]["data"]} == {"card", "bank_account", "source"}
    assert {one["status"] for one in customer["subscriptions"]["data"]} == {"active", "trialing"}
    assert customer["subscriptions"]["data"][0]["latest_invoice"]["object"] == "invoice"
    assert customer["default_source"]["customer"]["id"] == AMY
    assert customer["invoice_settings"]["default_payment_method"]["object"] == "payment_method"
    assert customer["cash_balance"]["available"] == {"eur": 100}
    assert customer["discount"]["source"]["coupon"]["percent_off"] == 10.0
    assert get(f"{RUNNING}?expand[]=items.data.price.tiers")["items"]["data"][0]["price"]["tiers"][0]["up_to"] == 10
    page = get(f"{CHARGE}/refunds?limit=2&expand[]=data.charge.customer")
    assert [one["charge"]["customer"]["id"] for one in page["data"]] == [AMY, AMY]
    found = get("/v1/charges/search?query=amount:700&expand[]=data.customer")
    assert [one["customer"]["id"] for one in found["data"]] == [AMY]


def test_events_show_what_they_are_about_also_when_that_is_gone() -> None:
    event = get(f"/v1/events/{id_of('event', 'about-7')}")
    assert (event["data"]["object"]["id"], event["data"]["object"]["amount"]) == (id_of("charge", "7"), 700)
    plain = id_of("customer", "plain")
    with fresh() as api:
        delete(api, f"/v1/customers/{plain}")
        event = api.get(f"/v1/events/{id_of('event', 'about-plain')}")
    assert (event["data"]["object"]["id"], event["data"]["object"]["name"]) == (plain, "李 明")


def test_a_rendering_template_has_versions() -> None:
    path = f"/v1/invoice_rendering_templates/{id_of('invoice_rendering_template', 'letter')}"
    assert [get(path + query)["nickname"] for query in ("", "?version=2", "?version=1")] == ["New", "New", "Old"]


@pytest.fixture
def moving() -> Iterator[tuple[Clock, Direct]]:
    """The clock of the sandbox's own world, and a client of it."""
    clock = Clock(NOW)
    api, _ = services(World(WORLD.seed, NOW, clock))
    app = Starlette(routes=[Mount("/payments", app=api)])
    with Direct(app, "http://sandbox/payments", Authorization="Bearer sk_test_time") as direct:
        yield clock, direct


def test_tax_calculations_go_at_the_second_at_which_they_expire(moving: tuple[Clock, Direct]) -> None:
    clock, api = moving
    calculations = [(row.body.get("expires_at") or 0, row.id) for row in written(WORLD)["tax.calculation"]]
    ends, id_ = min(one for one in calculations if one[0] > NOW)
    paths = [f"/v1/tax/calculations/{id_}", f"/v1/tax/calculations/{id_}/line_items"]
    clock.advance(ends - 1 - NOW)
    assert [api.send("GET", path).status_code for path in paths] == [200, 200]
    clock.advance(1)
    assert [api.send("GET", path).status_code for path in paths] == [404, 404]


def test_events_go_after_thirty_days(moving: tuple[Clock, Direct]) -> None:
    clock, api = moving
    row = min((row for row in written(WORLD)["event"] if row.created >= NOW - 30 * DAY), key=lambda row: row.created)
    clock.advance(row.created + 30 * DAY - NOW)
    assert api.get(f"/v1/events/{row.id}")["id"] in [one["id"] for one in api.get("/v1/events", limit=100)["data"]]
    clock.advance(1)
    assert api.send("GET", f"/v1/events/{row.id}").status_code == 404
    assert row.id not in [one["id"] for one in api.get("/v1/events", limit=100)["data"]]


@pytest.fixture
def api() -> Iterator[Direct]:
    """A client of the sandbox's own world."""
    with Direct(
        server.application(seed=WORLD.seed, now=NOW), "http://sandbox/payments", Authorization=f"Bearer {SECRET_KEY}"
    ) as api:
        yield api


def test_a_connected_accounts_balance_is_what_the_ledger_says(api: Direct) -> None:
    """What left the platform's balance for the account, less what came back, is the account's."""
    transfers, fees = by_id(WORLD, "transfer"), by_id(WORLD, "application_fee")
    reversals, refunds = by_id(WORLD, "transfer_reversal"), by_id(WORLD, "fee_refund")
    connected = [row.id for row in written(WORLD)["account"] if not row.body.get("_own")]
    assert connected
    for account in connected:
        theirs = {id_ for id_, row in transfers.items() if row.body["destination"] == account}
        theirs |= {id_ for id_, row in fees.items() if row.body["account"] == account}
        theirs |= {id_ for id_, row in reversals.items() if row.body["transfer"] in theirs}
        theirs |= {id_ for id_, row in refunds.items() if row.body["fee"] in theirs}
        moved = sum(row.body["amount"] for row in written(WORLD)["balance_transaction"] if row.body["source"] in theirs)
        balance = api.send("GET", "/v1/balance", headers={"Stripe-Account": account}).json()
        assert sum(part["amount"] for part in balance["available"] if part["currency"] == "usd") == -moved >= 0
        assert balance != api.get("/v1/balance")


def test_an_account_that_is_deleted(api: Direct) -> None:
    account = next(row.id for row in written(WORLD)["account"] if row.body["type"] == "custom")
    delete(api, f"/v1/accounts/{account}")
    status, error = refusal("/v1/balance", api=api, Stripe_Account=account)
    assert (status, "code" in error) == (403, False)
    assert error["message"].startswith(f"The account {account} has been deleted")


OPEN = f"/v1/quotes/{id_of('quote', 'open')}/pdf"


def objects(pdf: bytes) -> list[bytes]:
    """The objects of a PDF, read through its cross-reference table."""
    assert pdf.startswith(b"%PDF-1.")
    tail = re.search(rb"startxref\n(\d+)\n%%EOF\n$", pdf)
    assert tail
    places = [int(place) for place in re.findall(rb"(\d{10}) 00000 n \n", pdf[int(tail[1]) :])]
    found = [pdf[place : pdf.index(b"endobj", place)] for place in places]
    assert all(one.startswith(b"%d 0 obj\n" % number) for number, one in enumerate(found, 1))
    for one in found:
        if stream := re.search(rb"/Length (\d+) >>\nstream\n(.*)\nendstream", one, re.DOTALL):
            assert len(stream[2]) == int(stream[1])
    return found


def words(pdf: bytes) -> str:
    texts = re.findall(rb"\(((?:[^()\\]|\\.)*)\) '", b"".join(objects(pdf)))
    return "\n".join(re.sub(rb"\\(.)", rb"\1", text).decode("cp1252") for text in texts)


def test_a_finalized_quote_has_a_pdf() -> None:
    response = small(host="files").send("GET", OPEN)
    assert small(host="files").send("GET", OPEN).content == response.content
    assert (response.status_code, response.headers["content-type"]) == (200, "application/pdf")
    assert response.headers["content-disposition"] == f'attachment; filename="{id_of("quote", "open")}.pdf"'
    assert sum(b"/Type /Page " in one for one in objects(response.content)) == 1
    text = words(response.content)
    for wanted in ("Fernway Software", "Number QT-open", "Amy Stefanescu", "amy@meadow.example", "with brackets) and a \\ in"):
        assert wanted in text
    for wanted in ("Desk 0 — höhenverstellbar", "Desk 39 — höhenverstellbar", "EUR 3,000.00", "EUR -25.00", "EUR 2,975.00"):
        assert wanted in text


def test_amounts_are_written_by_their_currency() -> None:
    found = [money(*one) for one in ((123456, "eur"), (-5, "usd"), (1200, "jpy"))]
    assert found == ["EUR 1,234.56", "USD -0.05", "JPY 1,200"]


def test_letters_that_the_font_lacks_are_replaced() -> None:
    assert words(document(["é–€ Łódź 明 ş a\x07b"], "明")) == "é–€ ?ódz ? s a b"
