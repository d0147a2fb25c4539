"""What customers may use: features, the products that carry them, and who is entitled to what."""

from __future__ import annotations

from registry.sandbox.payments.builder import Builder
from registry.sandbox.payments.chapters import goods
from registry.sandbox.payments.chapters.cohort import Cohort, first
from registry.sandbox.payments.chapters.contracts import contracts
from registry.sandbox.payments.naming import names
from registry.sandbox.world import DAY

_FEATURES = (
    ("boards", "Shared boards", True, ("board", "fleet", "crew")),
    ("bookings", "Bookings", True, ("desk", "fleet")),
    ("sso", "Single sign-on", True, ("fleet",)),
    ("relay-api", "Message relay", True, ("relay",)),
    ("audit-log", "Audit log", True, ("fleet", "vault")),
    ("fax", "Fax gateway", False, ()),
)

_ENTITLING = ("active", "trialing", "past_due")


def write(builder: Builder) -> None:
    """Write the chapter."""
    now = builder.world.now
    for place, (key, name, active, products) in enumerate(_FEATURES):
        made = now - (400 - place * 20) * DAY
        feature = builder.new(
            "entitlements.feature", key, made, active=active, lookup_key=key, name=name, metadata={"owner": "noor.haddad"}
        )
        for product in products:
            builder.new(
                "product_feature",
                f"{product}/{key}",
                made + DAY,
                entitlement_feature=feature,
                _product=names(builder.world)("product", product),
            )
    write_cohort(builder, first(builder.world))


def write_cohort(builder: Builder, cohort: Cohort) -> None:
    """Write what a cohort's customers may use."""
    carried: dict[str, list[tuple[str, str]]] = {}
    for key, _, _, products in _FEATURES:
        for product in products:
            carried.setdefault(product, []).append((key, names(builder.world)("entitlements.feature", key)))
    seen = set()
    for contract in contracts(cohort).values():
        if contract.deal.status not in _ENTITLING:
            continue
        customer = names(builder.world)("customer", contract.buyer.key)
        entitled = {
            key: feature for price, _ in contract.deal.items for key, feature in carried.get(goods.BY_KEY[price].product, ())
        }
        for key, feature in entitled.items():
            name = f"{contract.buyer.key}/{key}"
            if name in seen:
                continue
            seen.add(name)
            builder.new(
                "entitlements.active_entitlement", name, contract.start, feature=feature, lookup_key=key, _customer=customer
            )
