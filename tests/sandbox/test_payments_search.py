"""Searches: the grammar, the fields of each kind, what is refused and where, and pages."""

from typing import Any

import pytest

from registry.sandbox import store
from registry.sandbox.payments.builder import Builder
from tests.sandbox.direct import Direct
from tests.sandbox.payments_fakes import NOW, dataset, delete, fresh, new, refusal, small


def search(kind: str, query: str, api: Direct | None = None, **params: Any) -> Any:
    return (api or small()).get(f"/v1/{kind}/search", **{"query": query, "limit": 100} | params)


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


def test_a_page_belongs_to_its_query() -> None:
    token = search("charges", "amount>0", limit=1)["next_page"]
    for query, page in (("amount>1", token), ("amount>0", "x" + token), ("amount>0", "!"), ("amount>0", "é")):
        status, error = refusal(f"/v1/charges/search?query={query}&page={page}")
        assert (status, error["param"]) == (400, "page")


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
