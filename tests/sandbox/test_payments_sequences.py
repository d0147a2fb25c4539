"""Random deletions and reads in any order: what is shown always agrees with an account that is kept in plain Python."""

from __future__ import annotations

from functools import cache
from typing import Any
from unittest.mock import patch

from hypothesis import Phase
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule
from starlette.applications import Starlette
from starlette.responses import Response
from starlette.routing import Route

from registry.sandbox.payments.datasets import DATASETS
from registry.sandbox.payments.listing import Listing
from registry.sandbox.payments.routes.deletions import DELETIONS, DiscountRemoval
from registry.sandbox.payments.routes.lists import LISTS, SEARCHES
from registry.sandbox.payments.routes.objects import OBJECTS
from registry.sandbox.payments.service import Service
from registry.sandbox.payments.shapes import shapes
from registry.sandbox.store import StoredRow
from tests.sampled import examples
from tests.sandbox import test_world_money as money
from tests.sandbox import test_world_references as references
from tests.sandbox.direct import Direct
from tests.sandbox.payments_addresses import Rows, Spot, deletable, spots, targets
from tests.sandbox.payments_model import STAY_READABLE, Account, Key, Whole

NOW, WORLD = references.NOW, references.WORLD

SEARCHED = {path: path.split("/")[2].removesuffix("s") for path in SEARCHES}
EVERYTHING = "-metadata['no such key']:'x'"

# Those that take most along, and those that change amounts, are tried more often.
PATHS = st.sampled_from(
    [
        *DELETIONS,
        *("/v1/customers/{customer}", "/v1/invoices/{invoice}", "/v1/invoiceitems/{invoiceitem}", "/v1/accounts/{account}") * 3,
    ]
)
LIMITS = st.sampled_from((1, 2, 3, 7, 10, 41, 100))
BACKWARDS = st.booleans()


def fresh_rows() -> Rows:
    """The world's rows, free to be changed."""
    return {
        kind: [StoredRow(row.id, row.created, row.body | {"discounts": list(row.body.get("discounts", ()))}) for row in found]
        for kind, found in references.written(WORLD).items()
    }


@cache
def read_addresses() -> dict[Key, list[str]]:
    """Where each object of the world can be read."""
    found: dict[Key, list[str]] = {}
    for path, operation in OBJECTS.items():
        for spot in spots(path, operation, references.written(WORLD), NOW):
            found.setdefault((spot.kind, spot.id), []).append(spot.address)
    return found


@cache
def whole_lists() -> list[Whole]:
    """All lists of the world."""
    rows = references.written(WORLD)
    return list(Account(rows, NOW).lists(rows))


@cache
def promising() -> frozenset[str]:
    """The addresses that a deletion succeeded at in a world of its own; many others break a rule."""
    with Direct(application(Service(WORLD, DATASETS)), "http://sandbox", Authorization="Bearer sk_test_x") as api:
        return frozenset(
            address
            for path in sorted(DELETIONS, key=lambda path: (-path.count("/"), path))
            for address in deletable(path, DELETIONS[path], references.written(WORLD))
            if api.send("DELETE", address).status_code == 200
        )


@cache
def long_lists() -> list[int]:
    """The numbers of the lists with pages that hold several objects at first."""
    account = Account(references.written(WORLD), NOW)
    return [place for place, one in enumerate(whole_lists()) if _paged(one) and len(account.members(one) or ()) > 1]


@cache
def places() -> dict[Key, list[int]]:
    """The numbers of the lists that each object is on, or that are its own."""
    found: dict[Key, list[int]] = {}
    account = Account(references.written(WORLD), NOW)
    for place, whole in enumerate(whole_lists()):
        for key in [*(account.members(whole) or ()), *([whole.owner] if whole.owner else [])]:
            found.setdefault(key, []).append(place)
    return found


@cache
def referrers() -> dict[Key, list[tuple[Key, str]]]:
    """For each object, the objects with a field that can be expanded to it."""
    found: dict[Key, list[tuple[Key, str]]] = {}
    for kind, shape in shapes().items():
        for row in references.written(WORLD).get(kind, ()):
            for field, kinds, id_ in references.references(kind, row):
                about = shape.fields.get(field, shape.inside.get(field, {}))
                if about.get("expandable") and "ref" in about:
                    path = field.replace("[]", "")
                    for one in kinds:
                        found.setdefault((one, id_), []).append(((kind, row.id), path))
    return found


def application(service: Service) -> Starlette:
    async def answer(request: Any) -> Response:
        return service.api(request)

    return Starlette(routes=[Route("/{path:path}", answer, methods=["GET", "DELETE"])])


class Deletions(RuleBasedStateMachine):
    """Deletes whatever can be deleted, reads in between, and compares."""

    def __init__(self) -> None:
        super().__init__()
        self.service = Service(WORLD, DATASETS)
        self.api = Direct(application(self.service), "http://sandbox", Authorization="Bearer sk_test_sequences")
        self.account = Account(fresh_rows(), NOW)
        self.deleted: list[str] = []

    @rule(data=st.data(), paths=st.lists(PATHS, min_size=2, max_size=4))
    def delete(self, data: st.DataObject, paths: list[str]) -> None:
        for path in paths:
            self._delete(data, path)

    def _delete(self, data: st.DataObject, path: str) -> None:
        operation = DELETIONS[path]
        rows = {kind: self.account.live(kind) for kind in self.account.rows}
        found = [spot for spot in targets(path, operation, rows) if not self._behind_gone(spot.address)]
        if not found:
            return
        likely = [spot for spot in found if spot.address in promising()]
        among_likely = bool(likely) and data.draw(st.integers(0, 5)) > 0
        spot = data.draw(st.sampled_from(likely if among_likely else found))
        answer = self.api.send("DELETE", spot.address)
        if answer.status_code == 400:
            assert answer.json()["error"]["type"] == "invalid_request_error"
            return
        assert answer.status_code == 200, answer.text
        short = {"id": spot.id, "object": spot.kind, "deleted": True}
        if isinstance(operation, DiscountRemoval):
            assert short.items() <= answer.json().items()
            taken = self.account.take_discount(spot.id)
        else:
            assert answer.json() == short
            taken = self.account.delete(spot.kind, spot.id)
        self.deleted.append(spot.address)
        self._gone_everywhere(data, spot, taken)
        changed = sorted({place for key in taken for place in places().get(key, ())})
        for place in data.draw(st.permutations(changed))[:4]:
            self._compare(whole_lists()[place], data.draw(LIMITS), data.draw(BACKWARDS))

    @rule(data=st.data())
    def delete_again(self, data: st.DataObject) -> None:
        if self.deleted:
            answer = self.api.send("DELETE", data.draw(st.sampled_from(self.deleted)))
            assert (answer.status_code, answer.json()["error"]["code"]) == (404, "resource_missing")

    @rule(place=st.integers(0, 10_000), limit=LIMITS, backwards=BACKWARDS)
    def walk(self, place: int, limit: int, backwards: bool) -> None:
        self._compare(whole_lists()[place % len(whole_lists())], limit, backwards)

    @rule(data=st.data(), limit=LIMITS, backwards=BACKWARDS)
    def page_beside(self, data: st.DataObject, limit: int, backwards: bool) -> None:
        """One page beside any member of a list of some length, or beside an object that is gone."""
        whole = whole_lists()[data.draw(st.sampled_from(long_lists()))]
        members = self.account.members(whole)
        if not members:
            return
        cursor = data.draw(st.integers(0, len(members) - 1))
        name = "ending_before" if backwards else "starting_after"
        ids = [_shown(*key) for key in members]
        page = self.api.get(self.account.address(whole), **whole.query, **{"limit": limit, name: ids[cursor]})
        expected = ids[max(0, cursor - limit) : cursor] if backwards else ids[cursor + 1 : cursor + 1 + limit]
        assert [one["id"] for one in page["data"]] == expected
        assert page["has_more"] == (cursor > limit if backwards else len(ids) > cursor + 1 + limit)

    @rule(data=st.data())
    def read(self, data: st.DataObject) -> None:
        key = data.draw(st.sampled_from(list(read_addresses())))
        self._read(key)

    @rule(path=st.sampled_from(list(SEARCHES)), limit=LIMITS)
    def search(self, path: str, limit: int) -> None:
        found: list[str] = []
        params: dict[str, Any] = {"query": EVERYTHING, "limit": limit}
        expected = [row.id for row in self.account.live(SEARCHED[path])[::-1]]
        while True:
            page = self.api.get(path, **params)
            found += [one["id"] for one in page["data"]]
            assert page["has_more"] == (len(found) < len(expected)) == (page["next_page"] is not None)
            if not page["has_more"]:
                break
            params["page"] = page["next_page"]
        assert found == expected

    def teardown(self) -> None:
        self.api.close()
        if self.deleted:
            for kind in references.written(WORLD):
                self.service._datasets.ensure(kind)
            left = {kind: self.service._store.every(kind, oldest_first=True) for kind in references.written(WORLD)}
            for kind, rows in left.items():
                assert [row.id for row in rows] == [row.id for row in self.account.live(kind)], kind
            check_money(left)

    def _compare(self, whole: Whole, limit: int, backwards: bool) -> None:
        """Walk a list from one end to the other, page by page, and compare it with the account."""
        address, members = self.account.address(whole), self.account.members(whole)
        if members is None:
            answer = self.api.send("GET", address, params=dict(whole.query))
            assert (answer.status_code, answer.json()["error"]["code"]) == (400 if whole.query else 404, "resource_missing")
            return
        ids = [_shown(*key) for key in members]
        backwards = backwards and _paged(whole)
        found: list[str] = ids[-1:] if backwards else []
        while True:
            cursor = {"ending_before": found[0]} if backwards and found else {"starting_after": found[-1]} if found else {}
            page = self.api.get(address, **whole.query, **({"limit": limit} | cursor if _paged(whole) else {}))
            shown = [one["id"] for one in page["data"]]
            found = shown + found if backwards else found + shown
            assert page["has_more"] == (len(found) < len(ids))
            if not page["has_more"]:
                break
        assert found == ids

    def _gone_everywhere(self, data: st.DataObject, spot: Spot, taken: set[Key]) -> None:
        assert (spot.kind, spot.id) in taken
        keys = sorted(taken)
        some = [(spot.kind, spot.id), *data.draw(st.permutations(keys))[:4]]
        for key in some:
            self._read(key)
            for referrer, field in referrers().get(key, ())[:3]:
                self._expand(referrer, field, key[1])

    def _read(self, key: Key) -> None:
        for address in read_addresses().get(key, ()):
            answer = self.api.send("GET", address)
            if key in self.account.gone and key[0] in STAY_READABLE:
                assert answer.json() == {"id": key[1], "object": key[0], "deleted": True}
            elif self._behind_gone(address) or not self.account.is_live(key):
                assert (answer.status_code, answer.json()["error"]["code"]) == (404, "resource_missing"), address
            else:
                assert answer.status_code == 200, (address, answer.text)
                assert "deleted" not in answer.json()

    def _expand(self, referrer: Key, field: str, id_: str) -> None:
        """What is gone is never shown as if it were there."""
        addresses = [one for one in read_addresses().get(referrer, ()) if not self._behind_gone(one)]
        if not self.account.is_live(referrer) or not addresses:
            return
        shown: Any = self.api.get(addresses[0], **{"expand[]": field})
        for found in references.inside(shown, field.replace("[]", "").split(".")):
            if isinstance(found, dict) and found.get("id") == id_:
                assert found.get("deleted") is True, (addresses[0], field, found)

    def _behind_gone(self, address: str) -> bool:
        """Whether an address leads through an object that is gone."""
        ids = {id_ for _, id_ in self.account.gone}
        return any(part in ids for part in address.split("/")[:-1])


def _paged(whole: Whole) -> bool:
    """Whether a list has pages."""
    operation = LISTS[whole.path]
    return isinstance(operation, Listing) and operation.paged


def _shown(kind: str, id_: str) -> str:
    """The id that an object shows; capabilities are kept under their account's as well."""
    return id_.rpartition("/")[2] if kind == "capability" else id_


MONEY = (
    money.test_invoices_are_the_sum_of_their_lines,
    money.test_what_is_due_and_paid_fits_the_status,
    money.test_payments_of_invoices_agree,
    money.test_charges_agree_with_their_intents_and_refunds,
    money.test_the_ledger_says_what_charges_and_refunds_brought,
    money.test_payouts_sum_up_their_transactions,
    money.test_the_balance_is_what_payouts_left,
    money.test_customer_balances_follow_their_transactions,
    money.test_cash_balances_follow_their_transactions,
    money.test_credit_notes_stay_within_their_invoices,
    money.test_transfers_and_fees_know_what_was_taken_back,
    money.test_financial_accounts_hold_the_sum_of_their_entries,
    money.test_credit_grants_are_not_overdrawn,
    money.test_quotes_and_sessions_are_the_sum_of_their_items,
    money.test_tax_calculations_are_the_sum_of_their_lines,
)


def check_money(left: Rows) -> None:
    """What the amounts of a world have to do with each other holds for what is left of it."""
    with patch.object(money, "written", lambda _: left), patch.object(references, "written", lambda _: left):
        for check in MONEY:
            check(WORLD)


TestDeletions = Deletions.TestCase
# Sequences are short enough to be read as they are; looking for still shorter ones would take minutes.
TestDeletions.settings = examples(
    4,
    16,
    derandomize=True,
    deadline=None,
    database=None,
    stateful_step_count=20,
    phases=(Phase.generate,),
    report_multiple_bugs=False,
)
