"""What the specification says of single tools, and a straightforward reading of the services would miss."""

from typing import Any

import pytest

from registry.accounts.policy import Consent
from registry.calling.arguments import check
from registry.calling.request import plan
from registry.calling.sending import opening
from registry.catalog.loader import load
from registry.sandbox.server import application
from tests.calling.network import TOOLS
from tests.opened import opened

READ, DELETE = TOOLS["RetrieveWalletPayDomain"], TOOLS["DeleteWalletPayDomain"]
SHOP = "shop.fernway.example"


async def test_a_wallet_domain_is_read_and_deleted_by_its_name() -> None:
    async with opened(sandbox=application) as engine:
        listed = await engine.run("ListWalletPayDomains", {"domain_name_filter": SHOP})
        id_ = listed.json["data"][0]["id"]
        for given in (SHOP, SHOP.upper(), id_):
            found = await engine.run("RetrieveWalletPayDomain", {"wallet_pay_domain_name": given})
            assert (found.json["id"], found.json["domain_name"]) == (id_, SHOP), given
            steps = [exchange.url.partition("/v1/")[2] for exchange in found.exchanges]
            by_name = [f"apple_pay/domains?domain_name={SHOP}&limit=1"] if given != id_ else []
            assert steps == [*by_name, f"apple_pay/domains/{id_}"]
            assert [id_ in note for note in found.notes] == [True] * len(by_name)
        gone = await engine.run("DeleteWalletPayDomain", {"wallet_pay_domain_to_delete": SHOP}, consent=Consent.CONFIRMED)
        assert gone.json == {"id": id_, "object": "apple_pay_domain", "deleted": True}
        assert [exchange.method for exchange in gone.exchanges if exchange.method == "DELETE"] == ["DELETE"]
        again = await engine.run("RetrieveWalletPayDomain", {"wallet_pay_domain_name": SHOP})
        assert (again.status, again.ok) == (404, False)


def test_what_is_shown_before_a_wallet_domain_is_called() -> None:
    assert opening(READ, check(READ, {"wallet_pay_domain_name": SHOP})).path == "/v1/apple_pay/domains"
    assert opening(READ, check(READ, {"wallet_pay_domain_name": "apwc_1"})).path == "/v1/apple_pay/domains/apwc_1"
    deleting = opening(DELETE, check(DELETE, {"wallet_pay_domain_to_delete": SHOP}))
    assert (deleting.method, deleting.path) == ("DELETE", f"/v1/apple_pay/domains/{SHOP}")


@pytest.mark.parametrize(("given", "sent"), [(None, None), (False, None), ("no", None), (True, "true")])
def test_domains_that_are_not_only_enabled_ones_are_all(given: Any, sent: str | None) -> None:
    tool = TOOLS["ListPaymentMethodDomains"]
    planned = plan(tool, check(tool, {"include_enabled_domains": given}))
    assert dict(planned.query).get("enabled") == sent


def test_a_clock_is_named_with_its_customer() -> None:
    tool = TOOLS["RetrieveQuotesList"]
    (error,) = check(tool, {"test_clock_id": "clock_1"}).errors
    assert (error.parameter, "needs `customer_id`" in error.message) == ("test_clock_id", True)
    assert check(tool, {"test_clock_id": "clock_1", "customer_id": "cus_1"}).errors == ()


def test_the_page_size_is_always_sent() -> None:
    """Where nothing was typed, what the specification states; of two lists it states nothing."""
    unstated = {tool.name for tool in load().tools.values() if (limit := tool.with_role("limit")) and limit.default is None}
    assert unstated == {"GetExchangeRates", "FetchCrmUsersList"}
    for tool in load().tools.values():
        limit = tool.with_role("limit")
        if limit is not None and tool.name not in unstated:
            assert dict(plan(tool, check(tool, {})).query)[str(limit.wire_name)] == str(limit.default), tool.name
