"""Identity checks: sessions in every state, and the reports that they led to."""

from __future__ import annotations

from typing import Any

from registry.sandbox.payments.builder import Builder
from registry.sandbox.payments.chapters.parts import PAY, Hash, place, year_of
from registry.sandbox.payments.chapters.people import BY_KEY
from registry.sandbox.world import DAY

# key, customer, type, status, days ago, error
_SESSIONS = (
    ("ada", "ada.romero", "document", "verified", 44.0, None),
    ("kofi", "kofi.mensah", "document", "requires_input", 0.8, "document_expired"),
    ("mwangi", "mwangi", "id_number", "verified", 18.0, None),
    ("chen", "chen", "document", "processing", 0.02, None),
    ("left", "okonkwo", "id_number", "canceled", 12.0, None),
    ("fresh", "nguyen", "document", "requires_input", 0.1, None),
    ("june", None, "verification_flow", "verified", 9.0, None),
    ("erased", "petrova", "document", "verified", 60.0, "redacted"),
)

_MESSAGES = {"document_expired": "The document has expired."}


def write(builder: Builder) -> None:
    """Write the chapter."""
    for key, buyer, type_, status, days, error in _SESSIONS:
        made = builder.world.now - int(days * DAY)
        reported = status == "verified" or error is not None
        if reported:
            _report(builder, key, buyer, type_, made + 240, error)
        _session(builder, key, buyer, type_, status, made, error, reported=reported)


def _session(
    builder: Builder, key: str, buyer: str | None, type_: str, status: str, made: int, error: str | None, *, reported: bool
) -> None:
    id_ = builder.id("identity.verification_session", key)
    fields: dict[str, Any] = {}
    if buyer:
        fields["related_customer"] = builder.id("customer", buyer)
    else:
        fields["related_person"] = {"account": builder.id("account", "kestrel"), "person": builder.id("person", "kestrel/june")}
        fields["verification_flow"] = "vf_" + builder.world.token("verification flow", 24)
    if status == "requires_input":
        fields |= {"client_secret": f"{id_}_secret_test_{id_[:3:-1]}", "url": f"{PAY}/verify/{id_}"}
    if error in _MESSAGES:
        fields["last_error"] = {"code": error, "reason": _MESSAGES[error]}
    if error == "redacted":
        fields["redaction"] = {"status": "redacted"}
    if status == "verified" and error is None:
        fields["verified_outputs"] = _outputs(buyer, type_)
    builder.new(
        "identity.verification_session",
        key,
        made,
        **fields,
        client_reference_id=f"kyc-{key}",
        last_verification_report=builder.id("identity.verification_report", key) if reported else None,
        metadata={"reviewer": "dana.wu"},
        options=_options(type_),
        provided_details={"email": BY_KEY[buyer].email} if buyer else None,
        status=status,
        type=type_,
    )


def _options(type_: str) -> Hash:
    if type_ == "id_number":
        return {"id_number": {}}
    return {"document": {"require_matching_selfie": True}}


def _outputs(buyer: str | None, type_: str) -> Hash:
    where = place(BY_KEY[buyer].where) if buyer else None
    return {
        "address": where if type_ == "document" else None,
        "dob": None,
        "email": None,
        "first_name": {"ada.romero": "Ada", "mwangi": "Wanjiru"}.get(buyer or "", "June"),
        "id_number": None,
        "id_number_type": "us_ssn" if type_ == "id_number" else None,
        "last_name": {"ada.romero": "Romero", "mwangi": "Mwangi"}.get(buyer or "", "Castellano"),
        "phone": None,
        "sex": None,
        "unparsed_place_of_birth": None,
        "unparsed_sex": None,
    }


def _report(builder: Builder, key: str, buyer: str | None, type_: str, made: int, error: str | None) -> None:
    year = year_of(made)
    bad = error in _MESSAGES
    failure = {"code": error, "reason": _MESSAGES[error]} if error in _MESSAGES else None
    names = _outputs(buyer, type_)
    fields: dict[str, Any] = {}
    if type_ == "id_number":
        fields["id_number"] = {
            "dob": None,
            "error": None,
            "first_name": names["first_name"],
            "id_number": None,
            "id_number_type": "us_ssn",
            "last_name": names["last_name"],
            "status": "verified",
        }
    else:
        front = builder.id("file", "identity/front")
        fields["document"] = {
            "address": names["address"],
            "dob": None,
            "error": failure,
            "expiration_date": {"day": 1, "month": 5, "year": year - 1 if bad else year + 4},
            "files": [front, builder.id("file", "identity/back")],
            "first_name": None if error == "redacted" else names["first_name"],
            "issued_date": {"day": 1, "month": 5, "year": year - 6},
            "issuing_country": "ES" if buyer == "ada.romero" else "US",
            "last_name": None if error == "redacted" else names["last_name"],
            "number": None,
            "sex": None,
            "status": "unverified" if bad else "verified",
            "type": "passport",
            "unparsed_place_of_birth": None,
            "unparsed_sex": None,
        }
        if not bad:
            fields["selfie"] = {
                "document": front,
                "error": None,
                "selfie": builder.id("file", "identity/selfie"),
                "status": "verified",
            }
    if type_ == "verification_flow":
        fields["verification_flow"] = "vf_" + builder.world.token("verification flow", 24)
        fields["email"] = {"email": "june@kestrel.example", "error": None, "status": "verified"}
    builder.new(
        "identity.verification_report",
        key,
        made,
        **fields,
        client_reference_id=f"kyc-{key}",
        options=_options(type_),
        type=type_,
        verification_session=builder.id("identity.verification_session", key),
    )
