"""Every id in the sandbox's answers leads to its object, or is on a list of exceptions with the reason.

Each kind of reference (the type of the object around it, the path to it, the type that it names) is followed a few times, by
really calling what following gives.
"""

import time
from pathlib import Path

import pytest

from registry.engine import Engine
from registry.references.knowledge import knowledge
from registry.references.naming import expansions
from registry.references.targets import Target, offers, pages_of, targets
from tests.cases import cases_beside
from tests.references.seen import FEW, TOOLS, WAYS, Case, Kind, Seen, engine, look, objects, world_fields
from tests.test_every_tool import SANDBOX, reading, unhurried

CASES = cases_beside(__file__)

pytestmark = pytest.mark.long
UNREACHABLE = CASES["types of unreachable ids"]
"""Types that some id is of which leads nowhere."""

EXCEPTIONS = {
    ("balance", "instant_available[].net_available[].destination", "card"): "the balance does not say whose card it is",
    (
        "issuing.dispute",
        "evidence.duplicate.original_transaction",
        "issuing.transaction",
    ): "what a cardholder claims; the sandbox's claim names a transaction that never was",
    (
        "credit_note_line_item",
        "invoice_line_item",
        "line_item",
    ): "a list of a credit note's lines does not name the invoice; the note does",
    **dict.fromkeys(
        [("financial_connections.account_owner", path, "financial_connections.account_owner") for path in ("", "id")],
        "a list of owners does not say of which ownership it is",
    ),
}
"""Single kinds of reference, where others to the same type do lead somewhere."""

NAMELESS = {
    ("escalation_policy", "escalation_rules[]"): "a rule is a part of its policy",
    ("financial_connections.account", "transaction_refresh"): "a refresh is a part of its account",
    ("tax.transaction_line_item", "reversal.original_line_item"): "a line of a transaction that the line does not name",
}
"""Ids of what is no object of any type that is known, or of one that nothing could find."""

WITHOUT_LIST = {
    ("file", "links"): "there is no list of a file's links; each link is retrieved by its id",
    ("financial_connections.session", "accounts"): "there is no list of a session's accounts; each is retrieved by its id",
    ("invoice", "payments"): "there is no list of an invoice's payments; each is retrieved by its id",
    ("radar.value_list", "list_items"): "there is no list of a value list's items; each is retrieved by its id",
    ("treasury.transaction", "entries"): "there is no list of entries; each is retrieved by its id",
}
"""Lists inside objects that no tool pages through."""


RULED = {
    "DownloadQuotePdf": 400,  # the quote is a draft
    "RetrieveTaxCalculation": 404,  # the calculation has expired
    "RetrieveTaxCalculationLineItems": 404,
    "RetrievePaymentsEventDetails": 404,  # the event is older than 30 days
    "GetPaymentsReportTypeDetails": 400,  # the report type needs a live-mode key
    "RetrieveCustomerDiscount": 404,  # the customer has no discount
    "GetSubscriptionDiscount": 404,  # the subscription has no discount
    "GetChargeDisputeDetails": 404,  # the charge has no dispute
}
"""The status with which a read is refused although its arguments are real, by a rule that the tool states."""

Shown = dict[tuple[str, str], list[str] | None]
"""The ids in what a call gave, or None where it failed: the same thing is asked for once."""


@pytest.fixture(scope="module")
def kept() -> list[Seen]:
    return []


@pytest.fixture
async def seen(kept: list[Seen], tmp_path: Path) -> Seen:
    if not kept:
        kept.append(await look(tmp_path))
    return kept[0]


async def test_every_id_leads_to_its_object(seen: Seen, tmp_path: Path) -> None:
    lost: set[Kind] = set()
    followed = 0
    caller = engine(tmp_path)
    shown: Shown = {}
    try:
        for kind, cases in seen.cases.items():
            for case in cases:
                if await _leads(caller, case, shown):
                    followed += 1
                else:
                    lost.add(kind)
    finally:
        await caller.aclose()
    excepted = {kind for kind in lost if kind[2] in UNREACHABLE or kind in EXCEPTIONS}
    assert lost - excepted == set()
    assert {kind[2] for kind in excepted if kind not in EXCEPTIONS} == set(UNREACHABLE)
    assert excepted & EXCEPTIONS.keys() == EXCEPTIONS.keys()
    assert len(seen.cases) > 600
    assert followed > 1_500
    assert seen.unnamed == NAMELESS.keys()


async def test_every_field_that_holds_an_id_was_seen(seen: Seen) -> None:
    plain = {(holder, path.replace("[]", "")) for holder, path, _ in seen.cases}
    kinds = knowledge("PaymentsApi").kinds
    whole = {(name, path.replace("[]", "").removesuffix(".data")) for name, kind in kinds.items() for path in kind.holds}
    missing = {(kind, name) for kind, name in world_fields() if (kind, name.replace("[]", "")) not in plain | whole}
    assert missing - NAMELESS.keys() == set()
    assert {("service", "id", "service"), ("crm_user", "roleIds[]", "crm_role")} - seen.cases.keys() == set()


async def _leads(caller: Engine, case: Case, shown: Shown) -> bool:
    found = [one for one in targets(case.place, case.tool, case.arguments, WAYS) if not one.missing]
    for target in found:
        if await _shows(caller, target, case, shown):
            return True
    return False


async def _shows(caller: Engine, target: Target, case: Case, shown: Shown) -> bool:
    """Whether a call answers with the very object: as the answer itself, or as a whole object where that is said."""
    asked = target.tool, repr(target.arguments)
    if asked not in shown:
        result = await caller.run(TOOLS[target.tool], target.arguments, SANDBOX)
        shown[asked] = [one["id"] for one in objects(result.json)] if result.ok else None
    ids = shown[asked]
    if target.reach == "object":
        return ids is not None and ids[:1] == [case.one.id]
    return ids is not None and (case.one.id is None or case.one.id in ids)


async def test_what_else_gives_calls_that_work(seen: Seen, tmp_path: Path) -> None:
    by_type = {kind[2]: cases[0] for kind, cases in seen.cases.items() if kind[1] == "id"}
    caller, called = engine(tmp_path), 0
    try:
        for case in by_type.values():
            found = offers(case.place, case.tool, case.arguments, WAYS)
            effects = [TOOLS[target.tool].effect for target in found]
            assert effects == sorted(effects, key=["read", "write", "delete"].index)
            for target in found:
                if TOOLS[target.tool].effect == "read" and not target.missing:
                    result = await caller.run(TOOLS[target.tool], target.arguments, SANDBOX)
                    called += 1
                    assert result.ok or result.status == RULED[target.tool], (target, result.failure)
    finally:
        await caller.aclose()
    assert called > 150


async def test_every_list_inside_an_object_can_be_paged_through(seen: Seen, tmp_path: Path) -> None:
    caller, without = engine(tmp_path), set()
    try:
        for (holder, path), cases in seen.items.items():
            for case in cases[:FEW]:
                target = pages_of(case.place, case.tool, WAYS)
                if target is None:
                    without.add((holder, path.removesuffix(".data[]")))
                    continue
                result = await caller.run(TOOLS[target.tool], {**target.arguments, **_most(target.tool)}, SANDBOX)
                assert result.page is not None, (holder, path, target, result.failure)
                assert case.one.id in [one["id"] for one in objects(result.json)], (holder, path, target)
    finally:
        await caller.aclose()
    assert without == WITHOUT_LIST.keys()
    assert len(seen.items) - len(without) > 12


def _most(tool: str) -> dict[str, object]:
    limit = TOOLS[tool].with_role("limit")
    return {limit.name: limit.maximum} if limit is not None else {}


async def test_every_expansion_is_one_that_the_service_takes(tmp_path: Path) -> None:
    caller, nested = unhurried(tmp_path), 0
    try:
        for tool in TOOLS.values():
            parameter = tool.with_role("expand")
            if parameter is None or tool.effect != "read" or not parameter.suggestions:
                continue
            arguments = reading(tool, time.time())
            for chosen in parameter.suggestions:
                paths = [path for path in expansions(tool, [chosen]) if path.startswith(f"{chosen}.")]
                nested += len(paths)
                if paths:
                    result = await caller.run(tool, arguments | {parameter.name: paths}, SANDBOX)
                    assert result.ok, (tool.name, paths, result.failure)
    finally:
        await caller.aclose()
    assert nested > 1_000
