"""What an agent is asked to do, in a person's words, leads to the right tool: among the first three that one search finds."""

from __future__ import annotations

from functools import cache

import pytest

from registry.catalog.loader import load
from registry.finding.find import Finder

TASKS = {
    "find out why the last payment of Padaria Aurora failed": "PaymentsSearchCharges",
    "show the customer with the email accounts@aurora.example": "SearchPaymentsCustomers",
    "which cards does a customer have": "GetCustomerCards",
    "list open invoices of a customer": "SearchPaymentsInvoices",
    "which subscriptions are past due": "SearchPaymentsSubscriptions",
    "delete the coupon PARTNER15": "DeletePaymentsCoupon",
    "what does the coupon PARTNER15 give": "GetCouponDetails",
    "delete a draft invoice": "DeleteInvoiceDraft",
    "download a quote as PDF": "DownloadQuotePdf",
    "refund of a charge": "GetChargeRefunds",
    "payouts of last month": "GetPaymentsPayoutDetails",
    "events of today": "RetrievePaymentsEventDetails",
    "who is on call now": "ListOncalls",
    "who is on call next week": "ListOncalls",
    "which incidents are open": "ListIncidents",
    "show the log of incident QKB3BFCPHAXLO8": "ListLogEntries",
    "escalation policies": "ListEscalationPolicies",
    "who am I in incidents": "Whoami",
    "find a user by email mei@northwind.example": "SearchUsers",
    "remove Oskar Berg from the CRM": "RemoveCrmUser",
    "change the name of a CRM user": "UpdateCrmUserInfo",
    "add a user to the CRM": "CreateCrmUser",
    "which roles does the CRM have": "GetAccountRoles",
}


@cache
def finder() -> Finder:
    return Finder(load())


@pytest.mark.parametrize("task", TASKS)
def test_a_task_leads_to_its_tool(task: str) -> None:
    found = list(dict.fromkeys(item.tool for item in finder().find(task)))
    assert TASKS[task] in found[:3], found[:8]
