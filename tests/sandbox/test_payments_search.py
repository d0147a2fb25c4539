"""Searches: the grammar, the fields of each kind, what is refused and where, and pages."""

from __future__ import annotations

from typing import Any

import pytest

from registry.sandbox import store
from registry.sandbox.payments.builder import Builder
from registry.sandbox.payments.errors import ApiError
from registry.sandbox.payments.searching import condition
from tests.sandbox.direct import Direct
from tests.sandbox.payments_fakes import NOW, dataset, delete, fresh, id_of, new, refusal, small

AMY = id_of("customer", "amy")


@pytest.mark.parametrize(
    ("kind", "text", "place", "about"),
    [
        ("charge", "   ", None, "empty"),
        ("charge", " ".join(["amount:1"] * 101), 901, "more than 100 clauses"),
        ("charge", "amount", 1, "'amount'"),
        ("charge", "amount:", 1, "'amount:'"),
        ("charge", "  amount=5", 3, "'amount=5'"),
        ("charge", "amount> 5", 1, "'amount>'"),
        ("charge", "status:active", 1, "status:active"),
        ("charge", "amount>1 status:'active", 10, "status:'active"),
        ("charge", "status:'a'amount>3", 1, "expected"),
        ("charge", "amount>1 AND", 10, "'AND'"),
        ("charge", "OR amount>1", 1, "'OR'"),
        ("charge", "amount>1 OR amount<2 AND created:1", 22, "mixed"),
        ("charge", "amount>1 OR amount<2 created:1", 22, "mixed"),
        ("charge", "(amount>1)", 1, "expected"),
        ("charge", "--amount>1", 1, "expected"),
        ("charge", "metadata[key]:'x'", 1, "expected"),
        ("charge", "status~'failed'", 1, "status is of type token"),
        ("charge", "amount~'700'", 1, "amount is of type numeric"),
        ("charge", "amount:'many'", 1, "must be a number"),
        ("charge", "status:1", 1, "text in quotes"),
        ("charge", "amount>null", 1, "null"),
        *(("charge", f"amount:{text}", 1, "a number") for text in ("''", "'1,000'", "'0x1F'", "'1e3'", "'NaN'")),
        *(("charge", f"amount:{text}", 1, "expected") for text in ("1e3", "+1", ".5", "5.", "1_000")),
        *(("customer", f"name~{text}", 1, "at least 3 characters") for text in ("''", "'é🎉'", "'   '", "' a  '")),
        ("customer", "name~abc", 1, "expected"),
        ("charge", "email:'x'", 1, "email is not a field"),
        ("charge", "metadata:'x'", 1, "by key"),
        ("charge", "metadata['x']~'abc'", 1, "metadata is of type token"),
        ("charge", "status['x']:'abc'", 1, 'status["x"] is not a field'),
        ("customer", "name~'ab'", 1, "at least 3 characters"),
        ("customer", "name>'ab'", 1, "name is of type string"),
        ("price", "created>3", 1, "created is not a field"),
    ],
)
def test_mistakes_are_named_with_their_place(kind: str, text: str, place: int | None, about: str) -> None:
    with pytest.raises(ApiError) as caught:
        condition(kind, text)
    assert (caught.value.status, caught.value.param) == (400, "query")
    assert about in caught.value.message
    assert place is None or f"(at character {place})" in caught.value.message


def search(kind: str, query: str, api: Direct | None = None, **params: Any) -> Any:
    return (api or small()).get(f"/v1/{kind}/search", **{"query": query, "limit": 100} | params)


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
def test_what_is_found(kind: str, query: str, expected: set[str]) -> None:
    assert {one["id"] for one in search(kind, query)["data"]} == expected


def test_pages_of_a_search_give_everything_once() -> None:
    whole = search("charges", "amount>0")
    said = [whole[name] for name in ("object", "url", "has_more", "next_page")]
    assert said == ["search_result", "/v1/charges/search", False, None]
    assert "total_count" not in whole
    ids: list[str] = []
    params: dict[str, Any] = {"limit": 7}
    while True:
        page = search("charges", "amount>0", **params)
        ids += [one["id"] for one in page["data"]]
        assert page["has_more"] == (page["next_page"] is not None)
        if not page["has_more"]:
            break
        params["page"] = page["next_page"]
    assert ids == [one["id"] for one in whole["data"]]
    assert len(ids) == len(set(ids)) == 36


def test_what_is_deleted_between_pages_neither_repeats_nor_hides_others() -> None:
    with fresh() as api:
        first = search("customers", "created>0", api, limit=2)
        delete(api, f"/v1/customers/{first['data'][-1]['id']}")
        second = search("customers", "created>0", api, limit=2, page=first["next_page"])
    assert len({one["id"] for one in first["data"] + second["data"]}) == 3


def test_a_page_belongs_to_its_query_and_a_total_is_refused() -> None:
    token = search("charges", "amount>0", limit=1)["next_page"]
    for query, page in (("amount>1", token), ("amount>0", "x" + token), ("amount>0", "!"), ("amount>0", "é")):
        status, error = refusal(f"/v1/charges/search?query={query}&page={page}")
        assert (status, error["param"]) == (400, "page")
    status, error = refusal("/v1/charges/search?query=amount>0&expand[]=total_count")
    assert (status, error["code"]) == (400, "property_forbidden")


def _many(builder: Builder) -> None:
    for number in range(20_000):
        new(builder, "customer", str(number), NOW - number, name=f"Person Number {number}", email=f"p{number}@many.example")


def test_a_search_among_many_reads_no_object_that_does_not_match(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    decoded = store._row

    def noted(found: tuple[str, int, str]) -> store.StoredRow:
        read.append(found[0])
        return decoded(found)

    monkeypatch.setattr(store, "_row", noted)
    with fresh(dataset(_many, "customer")) as api:
        found = search("customers", "name~'number 19999'", api)
        assert [one["email"] for one in found["data"]] == ["p19999@many.example"]
        assert read == [found["data"][0]["id"]]
        search("customers", "name~'person'", api, limit=1)
        assert len(read) <= 3
