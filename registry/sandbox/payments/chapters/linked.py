"""Bank accounts that customers linked: sessions, accounts, owners and the transactions seen on them."""

from __future__ import annotations

from typing import Any

from registry.sandbox.payments.builder import Builder
from registry.sandbox.payments.chapters.parts import PAY, Hash
from registry.sandbox.payments.chapters.people import BY_KEY
from registry.sandbox.world import DAY

# key, customer, institution, category, subcategory, status, last digits, days ago, session
_ACCOUNTS = (
    ("cedar", "cedar", "Granite State Bank", "cash", "checking", "active", "6789", 200, "cedar"),
    ("blue.heron", "blue.heron", "First Bank of Madison", "cash", "savings", "active", "1116", 215, "blue.heron"),
    ("granite.card", "granite.peak", "Bozeman Credit Union", "credit", "credit_card", "inactive", "4242", 90, "granite"),
    ("granite.line", "granite.peak", "Bozeman Credit Union", "credit", "line_of_credit", "disconnected", "9912", 90, "granite"),
    ("riverbend.fund", "riverbend", "Idaho Trust", "investment", "other", "active", "5001", 70, "riverbend"),
    ("riverbend.loan", "riverbend", "Idaho Trust", "other", "mortgage", "active", "5002", 70, "riverbend"),
    ("kestrel", None, "Canyon Bank", "cash", "checking", "active", "6789", 500, "kestrel"),
)

_OWNERS = {
    "cedar": (("Cedar Food Co-op", "44 Cedar Street, Burlington VT"), ("Marguerite Tessier", "12 Hill Road, Burlington VT")),
    "blue.heron": (("Blue Heron Clinic", "9 Lakeview Drive, Madison WI"),),
    "riverbend.fund": (("Riverbend Unified Schools", "700 River Road, Boise ID"),),
}

_SEEN = (
    ("cedar", -4_310, "Milk and butter", "posted", 9),
    ("cedar", 128_400, "Card takings", "posted", 8),
    ("cedar", -1_900, "Refund, taken back", "void", 6),
    ("cedar", -22_000, "Electricity", "pending", 1),
    ("blue.heron", -76_000, "Rent", "posted", 12),
)

_ALL = ["balances", "ownership", "payment_method", "transactions"]


def write(builder: Builder) -> None:
    """Write the chapter."""
    now = builder.world.now
    holders: dict[str, Hash] = {}
    for key, buyer, institution, category, sub, status, last4, days, session in _ACCOUNTS:
        holders[session] = _holder(builder, buyer)
        made = now - days * DAY
        _account(builder, key, holders[session], institution, category, sub, status, last4, made, session)
    for session, holder in holders.items():
        id_ = builder.id("financial_connections.session", session)
        business = "account" in holder
        builder.new(
            "financial_connections.session",
            session,
            now - next(days for *_, days, name in _ACCOUNTS if name == session) * DAY - 300,
            account_holder=holder,
            client_secret=f"{id_}_secret_{id_[:7:-1]}",
            filters={"account_subcategories": None if session == "riverbend" else ["checking", "savings"], "countries": ["US"]},
            permissions=_ALL,
            prefetch=["balances", "ownership", "transactions"] if session == "cedar" else ["balances"],
            **({"return_url": f"{PAY}/linked"} if business else {}),
        )
    for number, (account, amount, text, status, days) in enumerate(_SEEN):
        moment = now - days * DAY
        builder.new(
            "financial_connections.transaction",
            f"{account}/{number}",
            moment,
            account=builder.id("financial_connections.account", account),
            amount=amount,
            currency="usd",
            description=text,
            status=status,
            status_transitions={
                "posted_at": moment + DAY // 2 if status == "posted" else None,
                "void_at": moment + DAY if status == "void" else None,
            },
            transacted_at=moment,
            transaction_refresh="fctxnref_" + builder.world.token(f"refresh/{account}", 24),
            updated=moment + DAY // 2,
        )


def _holder(builder: Builder, buyer: str | None) -> Hash:
    if buyer is None:
        return {"account": builder.id("account", "kestrel"), "type": "account"}
    return {"customer": builder.id("customer", buyer), "type": "customer"}


def _account(
    builder: Builder,
    key: str,
    holder: Hash,
    institution: str,
    category: str,
    sub: str,
    status: str,
    last4: str,
    made: int,
    session: str,
) -> None:
    now = builder.world.now
    fields: dict[str, Any] = {}
    refreshed = {"last_attempted_at": now - 2 * DAY, "next_refresh_available_at": now + DAY, "status": "succeeded"}
    if category == "cash":
        amount = 1_284_000 + len(key) * 10_000
        fields["balance"] = {
            "as_of": now - 2 * DAY,
            "cash": {"available": {"usd": amount}},
            "credit": None,
            "current": {"usd": amount},
            "type": "cash",
        }
        fields["balance_refresh"] = refreshed
        fields["transaction_refresh"] = refreshed | {"id": "fctxnref_" + builder.world.token(f"refresh/{key}", 24)}
        fields["subscriptions"] = ["transactions"]
        fields["supported_payment_method_types"] = ["us_bank_account", "link"]
    elif category == "credit":
        fields["balance"] = {
            "as_of": now - 20 * DAY,
            "cash": None,
            "credit": {"used": {"usd": 40_000}},
            "current": {"usd": -40_000},
            "type": "credit",
        }
        fields["balance_refresh"] = refreshed | {"next_refresh_available_at": None, "status": "failed"}
    if key in _OWNERS:
        ownership = builder.new("financial_connections.account_ownership", key, made + 60)
        fields |= {"ownership": ownership, "ownership_refresh": refreshed}
        for number, (name, address) in enumerate(_OWNERS[key]):
            buyer = BY_KEY[key.partition(".fund")[0]]
            builder.new(
                "financial_connections.account_owner",
                f"{key}/{number}",
                made + 60 + number,
                email=buyer.email if not number else None,
                name=name,
                ownership=ownership,
                phone=buyer.phone if not number else None,
                raw_address=address,
                refreshed_at=made + 60,
            )
    builder.new(
        "financial_connections.account",
        key,
        made,
        **fields,
        account_holder=holder,
        category=category,
        display_name=f"{sub.replace('_', ' ').capitalize()} account",
        institution_name=institution,
        last4=last4,
        permissions=_ALL if category == "cash" else ["balances", "ownership"],
        status=status,
        subcategory=sub,
        _session=builder.id("financial_connections.session", session),
    )
