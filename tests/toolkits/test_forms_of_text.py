"""Texts whose kind has a form are refused before they are sent: with the field, the rule and a way out."""

import pytest

from registry.calling.arguments import check
from registry.catalog.loader import load
from registry.references.knowledge import knowledge

TOOLS = load().tools
NOW = 1_800_000_000.0
LIST_OF_PAYMENT_METHODS = ("GetTreasuryPaymentMethods", "filter_payment_method_type")


@pytest.mark.parametrize(
    ("tool", "field", "text", "rule"),
    [
        ("RetrieveWalletPayDomain", "wallet_pay_domain_name", "not a domain!", "must be a domain name such as shop.example"),
        ("RetrieveWalletPayDomain", "wallet_pay_domain_name", "https://shop.example/x", "without https:// and without a path"),
        ("DeleteWalletPayDomain", "wallet_pay_domain_to_delete", "shop", "must be a domain name"),
        ("ListWalletPayDomains", "domain_name_filter", "shop..example", "must be a domain name"),
        ("ListPaymentMethodDomains", "domain_name", "shop.example:443", "must be a domain name"),
        ("GetCountrySpecifications", "country_code", "Germany", "must be a two-letter country code (ISO 3166-1) such as DE"),
        ("GetDeprecatedExchangeRates", "currency_rate_id", "eut", "must be a three-letter currency code (ISO 4217)"),
        (*LIST_OF_PAYMENT_METHODS, "us bank account", "must be one word, without spaces"),
        ("ListCustomerPaymentSources", "filter_by_object_type", "a card", "must be one word"),
        ("GetAccountCapabilityDetails", "account_capability_identifier", "card payments", "must be one word"),
        ("GetPaymentsReportTypeDetails", "payments_report_type_id", "balance summary", "must be one word"),
        ("GetIncident", "incident_id", "not an id!", "must be one word"),
        ("ListOncalls", "schedule_ids", "PJGGO5Q, the primary", "must be one word"),
        ("ListLogEntries", "time_zone", "Berlin", "must be an IANA time zone such as Europe/Berlin"),
        ("CreateCrmUser", "user_email", "ada@fernway", "must be an email address such as ada@fernway.example"),
        ("CreateCrmUser", "primary_team_id", "Sales", "must be an id of digits only, such as 20804837"),
        ("UpdateCrmUserInfo", "additional_teams_ids", "20804837,Sales", "must be an id of digits only"),
        ("RetrieveCrmUserById", "user_identifier", "Ada Byron", "must be a user's id, which has digits only, or an email"),
        ("RemoveCrmUser", "user_identifier", "ada@", "must be an email address such as ada@fernway.example"),
    ],
)
def test_s15_a_text_in_another_form_is_refused_with_its_field(tool: str, field: str, text: str, rule: str) -> None:
    checked = check(TOOLS[tool], {field: text}, NOW)
    assert [error.parameter for error in checked.errors if rule in str(error)] == [field], checked.errors


@pytest.mark.parametrize(
    ("tool", "field", "text", "sent"),
    [
        ("RetrieveWalletPayDomain", "wallet_pay_domain_name", "Pay.shop-1.example", "Pay.shop-1.example"),
        ("RetrieveWalletPayDomain", "wallet_pay_domain_name", "münchen.example", "münchen.example"),
        ("RetrieveWalletPayDomain", "wallet_pay_domain_name", "apwc_aKtIz4rkpktSvjfKuDw3I245", "apwc_aKtIz4rkpktSvjfKuDw3I245"),
        ("GetDeprecatedExchangeRates", "currency_rate_id", "EUR", "eur"),
        (*LIST_OF_PAYMENT_METHODS, "us_bank_account", "us_bank_account"),
        ("GetPaymentsReportTypeDetails", "payments_report_type_id", "balance.summary.1", "balance.summary.1"),
        ("GetIncident", "incident_id", "#4062", "4062"),
        ("ListOncalls", "schedule_ids", "PJGGO5Q,PAB12CD", ("PJGGO5Q", "PAB12CD")),
        ("RetrieveCrmUserById", "user_identifier", "41777027", "41777027"),
        ("RetrieveCrmUserById", "user_identifier", "o'neil+x@fernway.example", "o'neil+x@fernway.example"),
    ],
)
def test_s15_every_text_in_the_form_is_sent(tool: str, field: str, text: str, sent: object) -> None:
    checked = check(TOOLS[tool], {field: text}, NOW)
    assert (checked.values.get(field), checked.errors) == (sent, ())


def test_s15_every_text_that_is_no_words_of_a_person_has_a_form() -> None:
    """An id has the prefix of its type, which the form tells while it is typed, or a declared form."""
    free = {"query", "expand", "cursor_before", "cursor_after", "page", "secret"}
    names = {"filter_by_lookup_key", "filter_by_serial_number", "last_name", "first_name", "user_first_name", "test_clock_id"}
    without = set()
    for tool in TOOLS.values():
        for one in tool.parameters:
            known = [knowledge(tool.toolkit).kind(type_) for type_ in one.refers_to]
            has_form = one.format or one.enum or (known and all(kind.prefixes or kind.shape for kind in known))
            if one.type in ("string", "array") and not has_form and one.role not in free and one.name not in names:
                without.add(f"{tool.name}.{one.name}")
    assert without == {"DeletePaymentsCoupon.coupon_id", "GetCouponDetails.coupon_id"}, "a coupon's id is chosen freely"
