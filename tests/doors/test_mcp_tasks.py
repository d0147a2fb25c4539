"""What an agent is asked to do, in a person's words, leads to the right tool: among the first three that one search finds."""

from __future__ import annotations

from functools import cache

import pytest

from registry.catalog.loader import load
from registry.finding.find import Finder

TASKS = {
    "find out why the last payment of Padaria Aurora failed": "PaymentsSearchCharges",
    "which payments failed yesterday": "PaymentsSearchCharges",
    "show the customer with the email accounts@aurora.example": "SearchPaymentsCustomers",
    "which cards does a customer have": "GetCustomerCards",
    "payment methods of a customer": "GetCustomerPaymentMethods",
    "list open invoices of a customer": "SearchPaymentsInvoices",
    "which subscriptions are past due": "SearchPaymentsSubscriptions",
    "delete the coupon PARTNER15": "DeletePaymentsCoupon",
    "what does the coupon PARTNER15 give": "GetCouponDetails",
    "delete a customer": "DeletePaymentsCustomer",
    "remove the discount of a customer": "RemoveCustomerDiscount",
    "delete a draft invoice": "DeleteInvoiceDraft",
    "delete a webhook endpoint": "DeletePaymentsWebhookEndpoint",
    "webhook endpoints": "GetPaymentsWebhookEndpoints",
    "download a quote as PDF": "DownloadQuotePdf",
    "balance of the account": "GetCurrentAccountBalance",
    "refund of a charge": "GetChargeRefunds",
    "payouts of last month": "GetPaymentsPayoutDetails",
    "price of a product": "SearchPaymentsPrices",
    "list products": "SearchPaymentsProducts",
    "tax rates": "RetrieveTaxRate",
    "fraud warnings": "RetrieveEarlyFraudWarningDetails",
    "events of today": "RetrievePaymentsEventDetails",
    "test clocks": "GetTestClocksList",
    "who is on call now": "ListOncalls",
    "who is on call next week": "ListOncalls",
    "which incidents are open": "ListIncidents",
    "which incidents are triggered": "ListIncidents",
    "show the log of incident QKB3BFCPHAXLO8": "ListLogEntries",
    "escalation policies": "ListEscalationPolicies",
    "which teams are there": "ListTeams",
    "list the services": "ListServices",
    "who am I in incidents": "Whoami",
    "find a user by email mei@northwind.example": "SearchUsers",
    "remove Oskar Berg from the CRM": "RemoveCrmUser",
    "change the name of a CRM user": "UpdateCrmUserInfo",
    "add a user to the CRM": "CreateCrmUser",
    "list CRM users": "FetchCrmUsersList",
    "which roles does the CRM have": "GetAccountRoles",
    "which teams does the CRM have": "ViewAccountTeams",
}


@cache
def finder() -> Finder:
    return Finder(load())


def test_there_are_forty() -> None:
    assert len(TASKS) == 40


@pytest.mark.parametrize("task", TASKS)
def test_a_task_leads_to_its_tool(task: str) -> None:
    found = list(dict.fromkeys(item.tool for item in finder().find(task)))
    assert TASKS[task] in found[:3], found[:8]
