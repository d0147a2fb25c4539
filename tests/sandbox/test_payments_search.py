"""Searches: the grammar, the fields of each kind, what is refused and where, and pages."""

from __future__ import annotations

from typing import Any

import pytest

from registry.sandbox import store
from registry.sandbox.payments.builder import Builder
from registry.sandbox.payments.errors import ApiError
from registry.sandbox.payments.searching import condition
from tests.sandbox.payments_fakes import NOW, client, dataset, id_of, new, reader

AMY = id_of("customer", "amy")


@pytest.mark.parametrize(
    ("text", "place", "about"),
    [
        ("   ", None, "empty"),
        (" ".join(["amount:1"] * 101), 901, "more than 100 clauses"),
        ("amount", 1, "'amount'"),
        ("amount:", 1, "'amount:'"),
        ("  amount=5", 3, "'amount=5'"),
        ("amount> 5", 1, "'amount>'"),
        ("status:active", 1, "status:active"),
        ("amount>1 status:'active", 10, "status:'active"),
        ("status:'a'amount>3", 1, "expected"),
        ("amount>1 AND", 10, "'AND'"),
        ("OR amount>1", 1, "'OR'"),
        ("amount>1 OR amount<2 AND created:1", 22, "mixed"),
        ("amount>1 OR amount<2 created:1", 22, "mixed"),
        ("(amount>1)", 1, "expected"),
        ("--amount>1", 1, "expected"),
        ("metadata[key]:'x'", 1, "expected"),
    ],
)
def test_mistakes_are_named_with_their_place(text: str, place: int | None, about: str) -> None:
    with pytest.raises(ApiError) as caught:
        condition("charge", text)
    assert (caught.value.status, caught.value.param) == (400, "query")
    assert about in caught.value.message
    assert place is None or f"(at character {place})" in caught.value.message


async def search(api: Any, kind: str, query: str, **params: Any) -> Any:
    response = await api.get(f"/v1/{kind}/search", params={"query": query, "limit": 100} | params)
    assert response.status_code == 200, response.text
    return response.json()


def charges(*numbers: int) -> set[str]:
    return {id_of("charge", str(number)) for number in numbers}


GOOD: list[tuple[str, str, set[str]]] = [
    ("charges", "amount>400 amount<700", charges(5, 6)),
    ("charges", "amount:100 OR amount:'200' or amount:300", charges(1, 2, 3)),
    ("charges", "disputed:'true' AND amount>700", set()),
    ("charges", "-disputed:'false'", charges(7)),
    ("charges", "refunded:'false' amount<600", charges(1, 4)),
    ("charges", "-refunded:null amount<600", charges(1, 2, 4, 5)),
    ("charges", "customer:null amount<500", charges(0, 2, 4)),
    ("charges", "metadata['order']:'11'", charges(11)),
    ("charges", "-metadata['order']:null amount:100", charges(1)),
    ("charges", "payment_method_details.card.exp_month:'4' amount:100", charges(1)),
    ("customers", "name:'amy  ştefănescu'", {AMY}),
    ("customers", "name~'ŞTEF'", {AMY}),
    ("customers", """metadata["odd \\"key\\""]:'1'""", {AMY}),
    ("invoices", f"subscription:'{id_of('subscription', 'running')}' -status:'draft'", {id_of("invoice", "paid")}),
    ("invoices", "last_finalization_error_code:null receipt_number:null status:'paid'", {id_of("invoice", "paid")}),
    ("prices", "lookup_key~'desk_' -lookup_key:'desk_0' active:'true'", {id_of("price", "desk-1")}),
    ("products", "active:'true' shippable:'true' url:null name~'empty'", {id_of("product", "empty")}),
    ("subscriptions", "canceled_at>1", {id_of("subscription", "ended")}),
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
    ("charges", "status:1", "text in quotes"),
    ("charges", "amount>null", "null"),
    ("charges", "email:'x'", "email is not a field"),
    ("charges", "metadata:'x'", "by key"),
    ("charges", "metadata['x']~'abc'", "metadata is of type token"),
    ("charges", "status['x']:'abc'", 'status["x"] is not a field'),
    ("customers", "name~'ab'", "at least 3 characters"),
    ("customers", "name>'ab'", "name is of type string"),
    ("prices", "created>3", "created is not a field"),
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
