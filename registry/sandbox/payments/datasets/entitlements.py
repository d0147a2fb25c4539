"""Who is entitled to what: the features of the products that customers have subscribed to."""

from __future__ import annotations

from registry.sandbox.payments.builder import Builder
from registry.sandbox.payments.datasets import goods
from registry.sandbox.payments.datasets.cohort import Cohort
from registry.sandbox.payments.datasets.contracts import contracts
from registry.sandbox.payments.datasets.tables import listed

_ENTITLING = ("active", "trialing", "past_due")


def write_cohort(builder: Builder, cohort: Cohort) -> None:
    """Write what a cohort's customers may use."""
    carried: dict[str, list[tuple[str, str]]] = {}
    for key in listed("features", "product_feature"):
        product, _, feature = key.partition("/")
        carried.setdefault(product, []).append((feature, builder.id("entitlements.feature", feature)))
    seen = set()
    for contract in contracts(cohort).values():
        if contract.deal.status not in _ENTITLING:
            continue
        customer = builder.id("customer", contract.buyer.key)
        for price, _ in contract.deal.items:
            for key, feature in carried.get(goods.BY_KEY[price].product, ()):
                if (name := f"{contract.buyer.key}/{key}") not in seen:
                    fields = {"feature": feature, "lookup_key": key, "_customer": customer}
                    builder.new("entitlements.active_entitlement", name, contract.start, **fields)
                seen.add(name)
