"""Finding tools by a few letters."""

from __future__ import annotations

import pytest

from registry.catalog.listing import table_of_contents
from registry.catalog.matching import Matcher, words

MATCHER = Matcher(table_of_contents())


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("cust cards", "GetCustomerCards"),
        ("delinv", "DeleteInvoiceDraft"),
        ("list invoice item", "GetInvoiceLineItems"),
        ("pdf quote", "DownloadQuotePdf"),
        ("who", "Whoami"),
        ("on call", "ListOncalls"),
        ("search cust", "SearchPaymentsCustomers"),
        ("esc pol", "GetEscalationPolicy"),
        ("GetCustomersCustomerCards", "GetCustomerCards"),
        ("refund charge", "GetChargeRefunds"),
        ("crm roles", "GetAccountRoles"),
    ],
)
def test_the_tool_is_among_the_first_three(query: str, expected: str) -> None:
    assert expected in [match.tool.name for match in MATCHER.find(query)[:3]]


@pytest.mark.parametrize(
    ("query", "tool", "letters", "reason"),
    [
        ("remove coupon", "DeletePaymentsCoupon", "Coupon", "remove in its kind"),
        ("customers email", "SearchPaymentsCustomers", "Customers", "email in its summary"),
        ("paymentintents", "SearchPaymentsPaymentIntents", "PaymentIntents", ""),
        ("quote pdf", "DownloadQuotePdf", "QuotePdf", ""),
        ("cust cards", "GetCustomerCards", "CustCards", ""),
        ("delinv", "DeleteInvoiceDraft", "DelInv", ""),
    ],
)
def test_what_does_not_stand_in_the_name_is_given_as_the_reason(query: str, tool: str, letters: str, reason: str) -> None:
    found = next(match for match in MATCHER.find(query) if match.tool.name == tool)
    assert "".join(tool[place] for place in found.letters) == letters
    assert found.reason == reason


@pytest.mark.parametrize("query", ["[", "(", "\\", "*", "a.b", "é", "x" * 500, "\x1b[31m", "a" * 40 + " b"])
def test_odd_queries_do_no_harm(query: str) -> None:
    MATCHER.find(query)


def test_every_word_must_be_found_and_what_deletes_comes_last() -> None:
    assert MATCHER.find("customer xylophone") == MATCHER.find("   ") == []
    assert MATCHER.find("customer")[0].tool.effect == "read" != MATCHER.find("delete customer")[0].tool.effect


def test_words_of_a_name() -> None:
    assert words("DownloadQuotePdf") == ["Download", "Quote", "Pdf"]
    assert words("post-/settings/v3/users/_create") == ["post", "settings", "v", "3", "users", "create"]
