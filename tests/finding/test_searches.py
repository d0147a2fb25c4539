"""Forty searches as people type them, written before the search was tuned to anything, and the tools that would be right."""

from __future__ import annotations

from registry.catalog.loader import load
from registry.finding.find import Finder

CATALOG = load()
FINDER = Finder(CATALOG)
_LOOKED_AT, _ENOUGH = 3, 38

SEARCHES: dict[str, tuple[str, ...]] = {
    # Abbreviations
    "sub": ("GetSubscriptionDetails", "GetSubscriptionItems", "SearchPaymentsSubscriptions", "GetCustomerSubscriptions"),
    "cust inv": ("SearchPaymentsInvoices",),
    "del wh": ("DeletePaymentsWebhookEndpoint",),
    "pi": ("RetrievePaymentIntentDetails", "SearchPaymentsPaymentIntents"),
    "escpol": ("GetEscalationPolicy", "ListEscalationPolicies"),
    "txn": ("GetBalanceTransactionById", "RetrieveBalanceTransactionById", "RetrieveTreasuryTransactionDetails"),
    "promo": ("GetPromotionCodeDetails",),
    "fx rates": ("GetExchangeRates", "GetDeprecatedExchangeRates"),
    # Typing errors
    "custmer": ("SearchPaymentsCustomers", "RetrieveCustomerDetails"),
    "invocie": ("RetrieveInvoiceById", "SearchPaymentsInvoices", "GetInvoiceLineItems"),
    "refnud": ("RetrieveRefundDetails", "GetChargeRefunds"),
    "shcedules": ("ListSchedules",),
    "delete coupn": ("DeletePaymentsCoupon",),
    "incidnets": ("ListIncidents",),
    "serach subscriptoins": ("SearchPaymentsSubscriptions",),
    # Other words for the same
    "remove product": ("DeletePaymentsProduct",),
    "remove webhook": ("DeletePaymentsWebhookEndpoint",),
    "erase customer": ("DeletePaymentsCustomer",),
    "cancel invoice": ("DeleteInvoiceDraft",),
    "rename user": ("UpdateCrmUserInfo",),
    "add user": ("CreateCrmUser",),
    "fire user": ("RemoveCrmUser",),
    "permissions": ("GetAccountRoles",),
    "alerts": ("ListIncidents", "GetBillingAlerts"),
    "pager rotation": ("ListSchedules", "ListOncalls"),
    "chargeback": ("RetrieveDisputeById", "GetChargeDisputeDetails"),
    "voucher": ("GetCouponDetails", "GetPromotionCodeDetails"),
    "timeline": ("ListLogEntries",),
    "me": ("Whoami", "GetPaymentsAccountDetails"),
    # What one has, what one wants, in any order
    "refunds of a charge": ("GetChargeRefunds",),
    "subscription invoices": ("SearchPaymentsInvoices",),
    "customer by email": ("SearchPaymentsCustomers",),
    "pdf of a quote": ("DownloadQuotePdf",),
    "items on an invoice": ("GetInvoiceLineItems",),
    "cards of a customer": ("GetCustomerCards", "GetCustomerPaymentMethods", "ListCustomerPaymentSources"),
    "balance account": ("GetCurrentAccountBalance",),
    # Plain questions
    "who is on call": ("ListOncalls",),
    "who is on call now?": ("ListOncalls",),
    "what does a customer owe": ("SearchPaymentsInvoices",),
    "which teams are there": ("ListTeams", "ViewAccountTeams"),
}


def found(query: str) -> list[str]:
    """The names of the first tools that are found."""
    return list(dict.fromkeys(one.tool for one in FINDER.find(query)))[:_LOOKED_AT]


def test_there_are_forty_and_every_tool_exists() -> None:
    assert len(SEARCHES) == 40
    assert {name for right in SEARCHES.values() for name in right} <= CATALOG.tools.keys()


def test_nearly_every_search_finds_the_right_tool() -> None:
    missed = {query: found(query) for query, right in SEARCHES.items() if not set(right) & set(found(query))}
    assert len(SEARCHES) - len(missed) >= _ENOUGH, missed
