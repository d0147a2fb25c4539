"""Sixty more phrases, written before any of them was tried and unlike the others; as in `tests.finding.phrases`."""

from __future__ import annotations

_CHARGES, _INTENTS, _INVOICES = "PaymentsSearchCharges", "SearchPaymentsPaymentIntents", "SearchPaymentsInvoices"
_SUBSCRIPTIONS, _CUSTOMERS, _PRODUCTS = "SearchPaymentsSubscriptions", "SearchPaymentsCustomers", "SearchPaymentsProducts"
_PRICES, _INCIDENTS, _ONCALLS = "SearchPaymentsPrices", "ListIncidents", "ListOncalls"

FRESH: dict[str, tuple[str, ...]] = {
    # What a customer says on the phone
    "customer was charged twice": (_CHARGES, _INTENTS, f"{_CUSTOMERS} ~ "),
    "card got rejected at checkout": (f"{_CHARGES} ~ failed", "RetrieveCheckoutSession"),
    "i never got my refund": (f"{_CHARGES} ~ refunded", "GetChargeRefunds", "RetrieveRefundDetails"),
    "they want a copy of their invoice": ("RetrieveInvoiceById", _INVOICES),
    "customer says they already paid": (f"{_INVOICES} ~ paid", f"{_CHARGES} ~ succeeded"),
    "cannot log in to the customer portal": ("GetBillingPortalConfigurations", "GetCustomerPortalConfiguration"),
    "wants to change credit card": ("GetCustomerPaymentMethods", "GetCustomerCards", "ListCustomerPaymentSources"),
    "moved to another country, vat id": ("GetCustomerTaxIds", "GetCustomerTaxId", "RetrieveTaxId", "RetrieveCustomerDetails"),
    "discount code not working": ("GetPromotionCodeDetails", "GetCouponDetails"),
    # Money
    "money not received from customers": (f"{_INVOICES} ~ open",),
    "who owes us money": (f"{_INVOICES} ~ open",),
    "biggest payments today": (_CHARGES,),
    "how much did we refund last month": (f"{_CHARGES} ~ refunded",),
    "payout missing": ("GetPaymentsPayoutDetails", "GetCurrentAccountBalance", "GetBalanceSettings"),
    "fees of a payment": (
        "GetBalanceTransactionById",
        "RetrieveBalanceTransactionById",
        "RetrieveApplicationFeeDetails",
        "RetrievePaymentsChargeDetails",
    ),
    "available funds": ("GetCurrentAccountBalance", "GetCustomerCashBalance"),
    "invoices above 1000 eur": (f"{_INVOICES} ~ total", f"{_INVOICES} ~ amount", f"{_INVOICES} ~ 100000"),
    "payments in brl this week": (f"{_CHARGES} ~ brl",),
    # States and codes as they stand in logs
    "processing_error": (f"{_CHARGES} ~ failed",),
    "incorrect_number": (f"{_CHARGES} ~ failed",),
    "stolen_card": (f"{_CHARGES} ~ failed",),
    "generic_decline": (f"{_CHARGES} ~ failed",),
    "subscription status unpaid": (f"{_SUBSCRIPTIONS} ~ unpaid",),
    "incomplete_expired": (f"{_SUBSCRIPTIONS} ~ incomplete_expired",),
    "needs_response": (f"{_CHARGES} ~ disputed", "RetrieveDisputeById", "GetChargeDisputeDetails"),
    "collection_method send_invoice": (_INVOICES, "RetrieveInvoiceById", _SUBSCRIPTIONS, "GetSubscriptionDetails"),
    "webhook disabled": ("GetPaymentsWebhookEndpoints", "RetrieveWebhookEndpoint"),
    "resource_missing": ("RetrieveCustomerDetails", _CUSTOMERS, "RetrievePaymentsEventDetails"),
    "capabilities inactive": ("GetAccountCapabilities", "GetAccountCapabilityDetails"),
    "payouts_enabled false": ("RetrieveAccountDetails", "GetPaymentsAccountDetails", "GetAccountCapabilities"),
    # Typed in a hurry
    "faield chrages yday": (f"{_CHARGES} ~ failed",),
    "subcription canceld": (f"{_SUBSCRIPTIONS} ~ cancel",),
    "incidnet log": ("ListLogEntries", "GetIncident"),
    "on cal scheduel": ("ListSchedules", _ONCALLS),
    "custmer adress": ("RetrieveCustomerDetails", _CUSTOMERS),
    "webook": ("GetPaymentsWebhookEndpoints", "RetrieveWebhookEndpoint"),
    "promocode": ("GetPromotionCodeDetails", "GetCouponDetails"),
    "refund stauts": ("RetrieveRefundDetails", "GetChargeRefunds", "RetrieveRefundDetailsByCharge"),
    "inv nr": (_INVOICES, "RetrieveInvoiceById"),
    "cc expiring": ("GetCustomerCards", "GetCustomerPaymentMethods", "ListCustomerPaymentSources", f"{_CHARGES} ~ failed"),
    "last4 4242": (f"{_CHARGES} ~ 4242",),
    # On call
    "who is primary": (_ONCALLS,),
    "who's next on the rotation": (_ONCALLS, "ListSchedules"),
    "what did i miss overnight": ("ListLogEntries", _INCIDENTS),
    "sev1": (f"{_INCIDENTS} ~ high", f"{_INCIDENTS} ~ triggered"),
    "unassigned incidents": (_INCIDENTS,),
    "checkout-api incidents last week": (_INCIDENTS,),
    "who woke me up": ("ListLogEntries", _INCIDENTS),
    "backup on call tonight": (_ONCALLS,),
    "is anyone looking at it": (f"{_INCIDENTS} ~ acknowledged", "ListLogEntries", f"{_INCIDENTS} ~ triggered"),
    "escalate": ("GetEscalationPolicy", "ListEscalationPolicies"),
    "phone number of dana": ("SearchUsers", "ListUsers", f"{_CUSTOMERS} ~ dana"),
    "noisy services": ("ListServices", _INCIDENTS, "ListLogEntries"),
    "postmortem": ("ListLogEntries", f"{_INCIDENTS} ~ resolved", "GetIncident"),
    # People and rights
    "who can delete users": ("GetAccountRoles",),
    "new hire access": ("CreateCrmUser",),
    "someone left the company": ("RemoveCrmUser", "FetchCrmUsersList", "RetrieveCrmUserById"),
    "promote to admin": ("UpdateCrmUserInfo",),
    "which team is mei in": ("ViewAccountTeams", "SearchUsers", "ListTeams", "GetTeam"),
    "list everyone": ("FetchCrmUsersList", "ListUsers"),
}
