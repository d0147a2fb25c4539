"""The own account and the connected ones, with the people behind them and what they are capable of."""

from __future__ import annotations

from typing import Any

from registry.sandbox.cast import COMPANY, DOMAIN
from registry.sandbox.payments.builder import Builder
from registry.sandbox.payments.chapters.partners import PARTNERS, Human, Partner
from registry.sandbox.payments.chapters.parts import SITE, Hash, address, place
from registry.sandbox.world import DAY

_NONE_DUE: Hash = {
    "alternatives": [],
    "current_deadline": None,
    "currently_due": [],
    "disabled_reason": None,
    "errors": [],
    "eventually_due": [],
    "past_due": [],
    "pending_verification": [],
}

_CONTROLLERS: dict[str, Hash] = {
    "custom": {
        "fees": {"payer": "application_custom"},
        "is_controller": True,
        "losses": {"payments": "application"},
        "requirement_collection": "application",
        "stripe_dashboard": {"type": "none"},
        "type": "application",
    },
    "express": {
        "fees": {"payer": "application_express"},
        "is_controller": True,
        "losses": {"payments": "application"},
        "requirement_collection": "stripe",
        "stripe_dashboard": {"type": "express"},
        "type": "application",
    },
    "none": {
        "fees": {"payer": "application"},
        "is_controller": True,
        "losses": {"payments": "stripe"},
        "requirement_collection": "stripe",
        "stripe_dashboard": {"type": "none"},
        "type": "application",
    },
    "standard": {"type": "account"},
}

_ROLES = ("authorizer", "director", "executive", "legal_guardian", "owner", "representative")


def write(builder: Builder) -> None:
    """Write the chapter."""
    _own(builder)
    for partner in PARTNERS:
        _account(builder, partner)
        for human in partner.people:
            _person(builder, partner, human)


def _settings(name: str, logo: str | None = None, icon: str | None = None, tax_ids: list[str] | None = None) -> Hash:
    """An account's settings; ids of files and tax ids where there are any."""
    descriptor = "".join(letter for letter in name.upper() if letter.isascii() and (letter.isalnum() or letter == " "))[:22]
    return {
        "bacs_debit_payments": {"display_name": None, "service_user_number": None},
        "branding": {"icon": icon, "logo": logo, "primary_color": "#2f5d50", "secondary_color": None},
        "card_issuing": {"tos_acceptance": {"date": None, "ip": None}},
        "card_payments": {
            "decline_on": {"avs_failure": False, "cvc_failure": True},
            "statement_descriptor_prefix": None,
            "statement_descriptor_prefix_kana": None,
            "statement_descriptor_prefix_kanji": None,
        },
        "dashboard": {"display_name": name, "timezone": "Etc/UTC"},
        "invoices": {"default_account_tax_ids": tax_ids, "hosted_payment_method_save": "offer"},
        "payments": {
            "statement_descriptor": descriptor or None,
            "statement_descriptor_kana": None,
            "statement_descriptor_kanji": None,
        },
        "payouts": {
            "debit_negative_balances": True,
            "schedule": {"delay_days": 2, "interval": "weekly", "weekly_anchor": "monday", "weekly_payout_days": ["monday"]},
            "statement_descriptor": None,
        },
        "sepa_debit_payments": {},
    }


def _business(name: str, where: Hash, key: str, mcc: str) -> Hash:
    return {
        "annual_revenue": None,
        "estimated_worker_count": None,
        "mcc": mcc,
        "minority_owned_business_designation": None,
        "name": name,
        "product_description": None,
        "support_address": where,
        "support_email": f"help@{key}.example",
        "support_phone": None,
        "support_url": f"https://www.{key}.example/help",
        "url": f"https://www.{key}.example",
    }


def _own(builder: Builder) -> None:
    made = builder.world.now - 910 * DAY
    home = address("200 Harrow Lane", "Portland", "OR", "97201", "US")
    capabilities = (
        "card_payments",
        "transfers",
        "sepa_debit_payments",
        "us_bank_account_ach_payments",
        "card_issuing",
        "treasury",
    )
    tax_ids = [builder.id("tax_id", "fernway/us_ein")]
    account = builder.new(
        "account",
        "fernway",
        made,
        business_profile=_business(COMPANY, home, "fernway", "5734") | {"url": SITE},
        business_type="company",
        capabilities=dict.fromkeys(capabilities, "active"),
        charges_enabled=True,
        country="US",
        default_currency="usd",
        details_submitted=True,
        email=f"accounts@{DOMAIN}",
        payouts_enabled=True,
        settings=_settings(COMPANY, builder.id("file", "logo"), builder.id("file", "icon"), tax_ids),
        type="standard",
        _own=True,
    )
    for name in capabilities:
        builder.new(
            "capability",
            name,
            made,
            id=f"{account}/{name}",
            account=account,
            requested=True,
            requested_at=made,
            requirements=_NONE_DUE,
            future_requirements=_NONE_DUE,
            status="active",
        )


def _account(builder: Builder, partner: Partner) -> None:
    made = builder.world.now - partner.days * DAY
    where = place(partner.where)
    standard = partner.type == "standard"
    enabled = partner.state == "enabled"
    states = dict(part.split(":") for part in partner.capabilities.split())
    fields: dict[str, Any] = {}
    if partner.business in ("company", "non_profit", "government_entity") and not standard:
        fields["company"] = _company(builder, partner, where)
    if partner.business == "individual":
        fields["individual"] = builder.id("person", partner.people[0].key)
    if not standard:
        fields["requirements"] = fields["future_requirements"] = _NONE_DUE
        fields["requirements"] = _due(builder, partner)
        fields["tos_acceptance"] = {"date": made + 60, "ip": "203.0.113.30", "user_agent": None} if enabled else {"date": None}
    account = builder.new(
        "account",
        partner.key,
        made,
        **fields,
        business_profile=_business(partner.name, where, partner.key, "5941"),
        business_type=partner.business,
        capabilities={name: state for name, state in states.items() if state != "unrequested"},
        charges_enabled=states["card_payments"] == "active",
        controller=_CONTROLLERS[partner.type],
        country=where["country"],
        default_currency=partner.currency,
        details_submitted=partner.state != "pending",
        email=f"owner@{partner.key}.example",
        groups={"payments_pricing": None} if partner.type == "none" else None,
        metadata={"marketplace_id": f"m-{partner.days}"} | _people(builder, partner),
        payouts_enabled=enabled,
        settings=_settings(partner.name),
        type=partner.type,
    )
    for number, (name, state) in enumerate(states.items()):
        requested = state != "unrequested"
        missing = ["individual.verification.document"] if state == "inactive" else []
        due = _NONE_DUE | {"currently_due": missing, "disabled_reason": "requirements.fields_needed" if missing else None}
        builder.new(
            "capability",
            f"{partner.key}/{name}",
            made + number,
            id=f"{account}/{name}",
            account=account,
            requested=requested,
            requested_at=made if requested else None,
            requirements=due,
            future_requirements=_NONE_DUE,
            status=state,
        )


def _people(builder: Builder, partner: Partner) -> dict[str, str]:
    """Who is who, for those who answer the telephone."""
    return {f"person_{number}": builder.id("person", human.key) for number, human in enumerate(partner.people, 1)}


def _company(builder: Builder, partner: Partner, where: Hash) -> Hash:
    file = builder.id("file", "account/register") if partner.key == "kestrel" else None
    return {
        "address": where,
        "directors_provided": partner.state == "enabled",
        "executives_provided": partner.state == "enabled",
        "name": partner.name,
        "owners_provided": True,
        "phone": None,
        "structure": None,
        "tax_id_provided": True,
        "verification": {"document": {"back": None, "details": None, "details_code": None, "front": file}},
    }


def _due(builder: Builder, partner: Partner) -> Hash:
    if partner.state == "enabled":
        return _NONE_DUE
    person = builder.id("person", partner.people[-1].key)
    field = f"{person}.verification.document"
    if partner.state == "pending":
        return _NONE_DUE | {"disabled_reason": "requirements.pending_verification", "pending_verification": [field]}
    error = {"code": "verification_document_expired", "reason": "The document has expired.", "requirement": field}
    return _NONE_DUE | {
        "current_deadline": builder.world.now - 2 * DAY,
        "currently_due": [field],
        "disabled_reason": "requirements.past_due",
        "errors": [error],
        "eventually_due": [field],
        "past_due": [field],
    }


def _person(builder: Builder, partner: Partner, human: Human) -> None:
    where = place(partner.where)
    relationship: Hash = {role: role in human.roles for role in _ROLES}
    owner = "owner" in human.roles
    relationship |= {"percent_ownership": 51.0 if owner else None, "title": "Manager" if "executive" in human.roles else None}
    front = (
        builder.id("file", f"person/{partner.key}")
        if human.verified == "verified" and partner.key in ("kestrel", "lumen")
        else None
    )
    document = {"back": None, "details": None, "details_code": None, "front": front}
    expired = human.verified == "unverified"
    fields: dict[str, Any] = {}
    if human.kana[0]:
        fields |= {
            "address_kana": {
                "city": "シモギヨウク",
                "country": "JP",
                "line1": "シジヨウドオリ 14",
                "line2": None,
                "postal_code": "6008001",
                "state": "キヨウトフ",
                "town": None,
            },
            "address_kanji": {
                "city": "下京区",
                "country": "JP",
                "line1": "四条通 14",
                "line2": None,
                "postal_code": "6008001",
                "state": "京都府",
                "town": None,
            },
            "first_name_kana": human.kana[0],
            "first_name_kanji": human.first,
            "gender": "female",
            "last_name_kana": human.kana[1],
            "last_name_kanji": human.last,
        }
    year, month, day = human.dob
    missing = ["verification.document"] if expired else []
    builder.new(
        "person",
        human.key,
        builder.world.now - partner.days * DAY + 300,
        **fields,
        account=builder.id("account", partner.key),
        address=where,
        dob={"day": day, "month": month, "year": year},
        email=f"{human.key.rpartition('/')[2]}@{partner.key}.example",
        first_name=human.first,
        future_requirements=_person_due([], []),
        id_number_provided=not expired,
        id_number_secondary_provided=False,
        last_name=human.last,
        metadata={},
        nationality=where["country"] if human.exposed else None,
        political_exposure="existing" if human.exposed else "none",
        relationship=relationship,
        requirements=_person_due(missing, ["verification.document"] if human.verified == "pending" else []),
        ssn_last_4_provided=where["country"] == "US",
        verification={
            "additional_document": {"back": None, "details": None, "details_code": None, "front": None},
            "details": "The document has expired." if expired else None,
            "details_code": "document_expired" if expired else None,
            "document": document,
            "status": human.verified,
        },
    )


def _person_due(missing: list[str], pending: list[str]) -> Hash:
    return {
        "alternatives": [],
        "currently_due": missing,
        "errors": [],
        "eventually_due": missing,
        "past_due": [],
        "pending_verification": pending,
    }
