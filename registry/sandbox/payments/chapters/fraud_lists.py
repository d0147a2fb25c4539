"""The value lists that rules of the fraud screening look into, with their items."""

from __future__ import annotations

from typing import Any

from registry.sandbox.payments.builder import Builder
from registry.sandbox.payments.chapters.methods import fingerprint, wallet
from registry.sandbox.payments.chapters.people import BY_KEY
from registry.sandbox.world import DAY

# key, name, type of item, rules that use the list, who made it, values
_LISTS: tuple[tuple[str, str, str, int, str, tuple[str, ...]], ...] = (
    ("blocked_cards", "Cards that were stolen", "card_fingerprint", 1, "sam.ode", ()),
    ("trusted_customers", "Customers that are never held", "customer_id", 0, "hana.kim", ()),
    (
        "bad_addresses",
        "Addresses of card testers",
        "ip_address",
        2,
        "mei.tan",
        ("198.51.100.7", "198.51.100.0/28", "203.0.113.250"),
    ),
    ("throwaway_mail", "Throw-away mail", "email", 0, "mei.tan", ("win@lottery.example", "x@tempmail.example")),
    ("test_bins", "Bins of test cards", "card_bin", 0, "sam.ode", ("424242", "400005")),
    ("no_shipping", "Countries without shipping", "country", 0, "dana.wu", ("AQ", "BV")),
    ("coupon_words", "Words in order notes", "string", 0, "grace.bell", ("resale", "gift card")),
    ("order_codes", "Codes of test orders", "case_sensitive_string", 0, "grace.bell", ("TeSt-1", "TEST-1")),
    ("sepa_blocked", "Accounts that returned debits", "sepa_debit_fingerprint", 0, "oskar.berg", ()),
    ("ach_blocked", "Accounts that were closed", "us_bank_account_fingerprint", 0, "oskar.berg", ()),
)


def write(builder: Builder) -> None:
    """Write the chapter."""
    world, now = builder.world, builder.world.now
    found: dict[str, tuple[str, ...]] = {
        "blocked_cards": (
            fingerprint(world, wallet(BY_KEY["granite.peak"])[0]),
            fingerprint(world, wallet(BY_KEY["granite.peak"])[2]),
            world.token("fingerprint/unknown/1", 16),
        ),
        "trusted_customers": tuple(builder.id("customer", key) for key in ("ada.romero", "brightwater", "halden")),
        "sepa_blocked": (fingerprint(world, wallet(BY_KEY["rossi"])[0]),),
        "ach_blocked": (world.token("fingerprint/unknown/2", 16),),
    }
    # So many that a page of a hundred does not hold them.
    many = tuple(f"198.51.100.{number}" for number in range(100, 204))
    for number, (alias, name, type_, rules, author, values) in enumerate(_LISTS):
        made = now - (400 - number * 20) * DAY
        hidden: dict[str, Any] = {"_rules": rules} if rules else {}
        list_ = builder.new(
            "radar.value_list",
            alias,
            made,
            alias=alias,
            created_by=f"{author}@fernway.example",
            item_type=type_,
            metadata={"ticket": f"PAY-{120 + number}"} if number % 2 else {},
            name=name,
            **hidden,
        )
        for place, value in enumerate((*found.get(alias, values), *(many if alias == "bad_addresses" else ()))):
            builder.new(
                "radar.value_list_item",
                f"{alias}/{place}",
                made + DAY + place * 60,
                created_by=f"{author}@fernway.example",
                value=value,
                value_list=list_,
            )
