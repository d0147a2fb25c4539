"""Searches: the grammar, the fields of each kind, what is refused and where, and pages."""

from __future__ import annotations

from typing import Any

import pytest

from registry.sandbox import store
from registry.sandbox.payments.builder import Builder
from registry.sandbox.payments.errors import ApiError
from registry.sandbox.payments.listing import Listing
from registry.sandbox.payments.routes.lists import LISTS
from registry.sandbox.payments.searching.grammar import Clause, parse
from registry.sandbox.payments.searching.run import FIELDS
from registry.sandbox.payments.shapes import shapes
from registry.sandbox.world import DAY
from tests.sandbox.payments_fakes import NOW, client, dataset, id_of, new, reader

AMY = id_of("customer", "amy")


def test_a_clause_has_all_its_parts() -> None:
    query = parse("""-metadata["a \\" b"]:'it\\'s' name~"x y" """)
    assert query.joint == "AND"
    assert query.clauses == [
        Clause(True, "metadata", 'a " b', ":", "it's", True, 1),
        Clause(False, "name", None, "~", "x y", True, 29),
    ]


@pytest.mark.parametrize(
    ("text", "joint", "number"),
    [
        ("amount>1", "AND", 1),
        ("amount>1 amount<2", "AND", 2),
        ("amount>1 and amount<2 AND created:3", "AND", 3),
        ("amount>1   amount<2 AND created:3", "AND", 3),
        ("amount>1 or amount<2 OR created:3", "OR", 3),
        ("  amount>=-1.5  ", "AND", 1),
        ("amount:null", "AND", 1),
        ("order:'OR' or orange:'and'", "OR", 2),
        (" OR ".join(["amount:1"] * 100), "OR", 100),
    ],
)
def test_clauses_are_joined(text: str, joint: str, number: int) -> None:
    query = parse(text)
    assert (query.joint, len(query.clauses)) == (joint, number)


@pytest.mark.parametrize(
    ("text", "place", "about"),
    [
        ("   ", None, "empty"),
        (" ".join(["amount:1"] * 101), 900, "more than 100 clauses"),
        ("amount", 7, "operators"),
        ("amount:", 8, "a number"),
        ("amount=5", 7, "operators"),
        ("amount >5", 7, "operators"),
        ("amount> 5", 8, "a number"),
        ("status:active", 8, "quotes"),
        ("status:'active", 8, "not closed"),
        ("status:\"active' amount>3", 8, "not closed"),
        ("status:'a'amount>3", 11, "a space"),
        ("amount>1 AND", 10, "after AND"),
        ("amount>1 AND ", 10, "after AND"),
        ("OR amount>1", 1, "before OR"),
        ("amount>1 AND OR amount<2", 14, "before OR"),
        ("amount>1 OR amount<2 AND created:1", 22, "mixed"),
        ("amount>1 OR amount<2 created:1", None, "mixed"),
        ("(amount>1)", 1, "brackets"),
        ("amount>1 (amount<2)", 10, "brackets"),
        ("--amount>1", 2, "name of a field"),
        ("metadata[key]:'x'", 10, "key in quotes"),
        ("metadata['key':'x'", 15, "]"),
        ("amount>1x", 8, "a number"),
    ],
)
def test_mistakes_are_named_with_their_place(text: str, place: int | None, about: str) -> None:
    with pytest.raises(ApiError) as caught:
        parse(text)
    assert (caught.value.status, caught.value.param) == (400, "query")
    assert about in caught.value.message
    assert place is None or f"(at character {place})" in caught.value.message


def test_what_is_searched_is_said_by_every_object_itself() -> None:
    """Searches look at stored bodies, so that a default of the shape must not stand in for a field of theirs."""
    for kind, fields in FIELDS.items():
        for path in fields:
            assert "default" not in shapes()[kind].fields.get(path.partition(".")[0], {}), (kind, path)
    for operation in LISTS.values():
        if not isinstance(operation, Listing):
            continue
        for one in operation.filters:
            for kind in operation.kinds:
                assert "default" not in shapes()[kind].fields.get(one.path.partition(".")[0], {}), (kind, one.path)


async def search(api: Any, kind: str, query: str, **params: Any) -> Any:
    response = await api.get(f"/v1/{kind}/search", params={"query": query, "limit": 100} | params)
    assert response.status_code == 200, response.text
    return response.json()


def charges(*numbers: int) -> set[str]:
    return {id_of("charge", str(number)) for number in numbers}


GOOD: list[tuple[str, str, set[str]]] = [
    ("charges", "amount:700", charges(7)),
    ("charges", "amount:'700'", charges(7)),
    ("charges", "amount>3500", charges(36)),
    ("charges", "amount>=3500", charges(35, 36)),
    ("charges", "amount<100", charges(0)),
    ("charges", "amount<=100", charges(0, 1)),
    ("charges", "amount>400 amount<700", charges(5, 6)),
    ("charges", "amount:100 OR amount:'200' or amount:300", charges(1, 2, 3)),
    ("charges", "disputed:'true'", charges(7)),
    ("charges", "disputed:'true' AND amount>700", set()),
    ("charges", "-disputed:'false'", charges(7)),
    ("charges", "refunded:'true' amount<600", charges(2, 5)),
    ("charges", "refunded:'false' amount<600", charges(1, 4)),
    ("charges", "refunded:null amount<600", charges(0, 3)),
    ("charges", "-refunded:null amount<600", charges(1, 2, 4, 5)),
    ("charges", f"customer:'{AMY}' amount<500", charges(1, 3)),
    ("charges", "customer:null amount<500", charges(0, 2, 4)),
    ("charges", "-customer:null amount<500", charges(1, 3)),
    ("charges", "currency:'JPY' amount<600", charges(0, 5)),
    ("charges", "status:'failed' amount<500", charges(0, 4)),
    ("charges", "-status:'FAILED' amount<300", charges(1, 2)),
    ("charges", f"created>={NOW}", charges(0, 1)),
    ("charges", f"created<{NOW - 17 * DAY}", charges(36)),
    ("charges", "metadata['order']:'11'", charges(11)),
    ("charges", "metadata['order']:null amount:100", set()),
    ("charges", "-metadata['order']:null amount:100", charges(1)),
    ("charges", "metadata['other']:null amount:100", charges(1)),
    ("charges", "billing_details.address.postal_code:'sw1a 1aa' amount:100", charges(1)),
    ("charges", "payment_method_details.card.last4:'4242' amount:100", charges(1)),
    ("charges", "payment_method_details.card.exp_month:'4' amount:100", charges(1)),
    ("charges", "payment_method_details.card.brand:'VISA' amount:100", charges(1)),
    ("charges", "payment_method_details.interac_present.brand:null amount:100", charges(1)),
    ("customers", "email:'AMY@meadow.example'", {AMY}),
    ("customers", "email~'@MEADOW'", {AMY}),
    ("customers", "name:'amy  ştefănescu'", {AMY}),
    ("customers", "name~'ŞTEF'", {AMY}),
    ("customers", "name:'amy'", set()),
    ("customers", "name:'李 明'", {id_of("customer", "plain")}),
    ("customers", "phone~'550100'", {AMY}),
    ("customers", "email:null name~'A Cl'", {id_of("customer", "clocked")}),
    ("customers", "metadata['tier']:'Gold'", {AMY}),
    ("customers", """metadata["odd \\"key\\""]:'1'""", {AMY}),
    ("customers", f"created<{NOW - 100 * DAY}", {AMY}),
    ("invoices", "status:'paid'", {id_of("invoice", "paid")}),
    ("invoices", "number:'fern-paid'", {id_of("invoice", "paid")}),
    ("invoices", "number~'subscr'", {id_of("invoice", "draft-of-subscription")}),
    (
        "invoices",
        f"subscription:'{id_of('subscription', 'running')}' -status:'draft'",
        {id_of("invoice", "paid")},
    ),
    ("invoices", "subscription:null", {id_of("invoice", "draft")}),
    ("invoices", f"total>600 customer:'{AMY}' currency:'eur' status:'paid'", {id_of("invoice", "paid")}),
    ("invoices", "last_finalization_error_code:null receipt_number:null status:'paid'", {id_of("invoice", "paid")}),
    ("payment_intents", "amount:700 status:'succeeded' currency:'eur'", {id_of("payment_intent", "7")}),
    ("payment_intents", f"customer:'{AMY}' amount>3500 created>1", {id_of("payment_intent", "36")}),
    ("prices", "active:'false'", {id_of("price", "desk-2")}),
    ("prices", "lookup_key~'desk_' -lookup_key:'desk_0' active:'true'", {id_of("price", "desk-1")}),
    (
        "prices",
        f"product:'{id_of('product', 'desk')}' type:'recurring' currency:'EUR' active:'false'",
        {id_of("price", "desk-2")},
    ),
    ("products", "name~'desk'", {id_of("product", "desk")}),
    ("products", "description:'a desk to STAND at' name:'standing empty'", {id_of("product", "empty")}),
    ("products", "active:'true' shippable:'true' url:null name~'empty'", {id_of("product", "empty")}),
    ("subscriptions", "status:'trialing'", {id_of("subscription", "trial")}),
    ("subscriptions", "canceled_at>1", {id_of("subscription", "ended")}),
    ("subscriptions", "-canceled_at:null", {id_of("subscription", "ended")}),
    ("subscriptions", "status:'canceled' created>1 metadata['x']:null", {id_of("subscription", "ended")}),
]


@pytest.mark.parametrize(("kind", "query", "expected"), GOOD)
async def test_what_is_found(kind: str, query: str, expected: set[str]) -> None:
    async with reader() as api:
        found = await search(api, kind, query)
    assert {one["id"] for one in found["data"]} == expected


BAD = [
    ("charges", "status~'failed'", "status is of type token"),
    ("charges", "amount~'700'", "amount is of type numeric"),
    ("charges", "amount:'many'", "must be a number"),
    ("charges", "amount:'1_000'", "must be a number"),
    ("charges", "status:1", "text in quotes"),
    ("charges", "currency>'eur'", "currency is of type token"),
    ("charges", "amount>null", "null"),
    ("charges", "email:'x'", "email is not a field"),
    ("charges", "metadata:'x'", "by key"),
    ("charges", "metadata['x']~'abc'", "metadata is of type token"),
    ("charges", "status['x']:'abc'", 'status["x"] is not a field'),
    ("customers", "name~'ab'", "at least 3 characters"),
    ("customers", "name>'ab'", "name is of type string"),
    ("customers", "currency:'eur'", "currency is not a field"),
    ("invoices", "amount:3", "amount is not a field"),
    ("invoices", "total~'333'", "total is of type numeric"),
    ("payment_intents", "disputed:'true'", "disputed is not a field"),
    ("payment_intents", "customer~'cus_'", "customer is of type token"),
    ("prices", "unit_amount>3", "unit_amount is not a field"),
    ("prices", "created>3", "created is not a field"),
    ("products", "active>'true'", "active is of type token"),
    ("products", "created>3", "created is not a field"),
    ("subscriptions", "customer:'x'", "customer is not a field"),
    ("subscriptions", "status~'active'", "status is of type token"),
]


@pytest.mark.parametrize(("kind", "query", "about"), BAD)
async def test_what_is_refused(kind: str, query: str, about: str) -> None:
    async with reader() as api:
        response = await api.get(f"/v1/{kind}/search", params={"query": f"created>0 {query}" if kind == "charges" else query})
    error = response.json()["error"]
    assert (response.status_code, error["type"], error["param"]) == (400, "invalid_request_error", "query")
    assert about in error["message"]
    assert f"(at character {11 if kind == 'charges' else 1})" in error["message"]


async def test_pages_of_a_search_give_everything_once() -> None:
    async with reader() as api:
        whole = await search(api, "charges", "amount>0")
        assert (whole["object"], whole["url"], whole["has_more"], whole["next_page"]) == (
            "search_result",
            "/v1/charges/search",
            False,
            None,
        )
        assert "total_count" not in whole
        ids: list[str] = []
        params: dict[str, Any] = {"limit": 7}
        while True:
            page = await search(api, "charges", "amount>0", **params)
            ids += [one["id"] for one in page["data"]]
            assert page["has_more"] == (page["next_page"] is not None)
            if not page["has_more"]:
                break
            params["page"] = page["next_page"]
        assert ids == [one["id"] for one in whole["data"]]
        assert len(ids) == len(set(ids)) == 36


async def test_what_is_deleted_between_pages_neither_repeats_nor_hides_others() -> None:
    async with client() as api:
        first = await search(api, "customers", "created>0", limit=2)
        await api.delete(f"/v1/customers/{first['data'][-1]['id']}")
        second = await search(api, "customers", "created>0", limit=2, page=first["next_page"])
        assert len({one["id"] for one in first["data"] + second["data"]}) == 3


async def test_a_page_belongs_to_its_query() -> None:
    async with reader() as api:
        token = (await search(api, "charges", "amount>0", limit=1))["next_page"]
        for query, page in (("amount>1", token), ("amount>0", "x" + token), ("amount>0", "!"), ("amount>0", "é")):
            response = await api.get("/v1/charges/search", params={"query": query, "page": page})
            assert (response.status_code, response.json()["error"]["param"]) == (400, "page")


async def test_a_total_is_refused_as_by_the_service() -> None:
    async with reader() as api:
        response = await api.get("/v1/charges/search", params={"query": "amount>0", "expand[]": "total_count"})
        error = response.json()["error"]
        assert (response.status_code, error["code"]) == (400, "property_forbidden")
        assert error["message"] == "This property cannot be included (total_count)."


def _many(builder: Builder) -> None:
    for number in range(20_000):
        new(builder, "customer", str(number), NOW - number, name=f"Person Number {number}", email=f"p{number}@many.example")


async def test_a_search_among_many_reads_no_object_that_does_not_match(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    decoded = store._row

    def noted(found: tuple[str, int, str]) -> store.StoredRow:
        read.append(found[0])
        return decoded(found)

    monkeypatch.setattr(store, "_row", noted)
    async with reader(dataset(_many, "customer")) as api:
        found = await search(api, "customers", "name~'number 19999'")
        assert [one["email"] for one in found["data"]] == ["p19999@many.example"]
        assert read == [found["data"][0]["id"]]
        await search(api, "customers", "name~'person'", limit=1)
        assert len(read) <= 3
