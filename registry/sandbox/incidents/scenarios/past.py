"""Resolved incidents of the past year: alerts, how people responded, and a few titles in other scripts.

The alerts are written down; when each came and how it went is up to the dice.
"""

from __future__ import annotations

import random

from registry.sandbox.incidents.incident_scripts import (
    IncidentScript,
    Step,
    acknowledge,
    alert,
    assign,
    fill_in,
    merge,
    note,
    resolve,
    script,
    set_priority,
    set_urgency,
    snooze,
)
from registry.sandbox.world import DAY, HOUR, World

# Newest first: (service, title).
_ALERTS: tuple[tuple[str, str], ...] = (
    ("payment-gateway", "Card authorisations down 35 % against last week"),
    ("checkout-api", "Timeouts calling payment-gateway"),
    ("help-desk", "Chat widget does not load on help pages"),
    ("edge-proxy", "CPU steal above 30 % on edge-04"),
    ("checkout-api", "決済APIの応答時間がしきい値を超過(p95 4.2 秒)"),
    ("ledger-db", "Deadlocks: 57 in 5 min"),
    ("warehouse-sync", "Mismatch of 214 stock levels in warehouse 3"),
    ("search-index", "Zero results for 8 % of searches"),
    ("mailer", "Queue of receipts above 50 000"),
    ("identity", "Sign-in failures tripled, mostly one network"),
    ("batch", "Job reindex-products failed 3 times in a row"),
    ("payment-gateway", "ارتفاع معدل رفض البطاقات إلى ٧٪ في بوابة الرياض"),
    ("storefront", "JavaScript errors tripled after release 2.41"),
    ("checkout-api", "Error budget burns 14 times too fast"),
    ("pricing", "Discount rules older than 2 h on 3 of 8 hosts"),
    ("edge-proxy", "Packet loss 8 % between fra1 and sin1"),
    ("edge-proxy", "High error rate on edge-01 and edge-02"),
    ("help-desk", "12 tickets past their answer time"),
    ("ledger-db", "Connection pool exhausted (400 of 400)"),
    ("payment-gateway", "Webhook backlog: 18 400 events waiting"),
    ("checkout-api", "Synthetic order in shop 114 failed at step 7 of 9"),
    ("batch", "Queue depth above 20 000 on export workers"),
    ("identity", "Session store evicts keys"),
    ("image-resizer", "Memory above 95 % on resizer-2"),
    ("storefront", "Checkout down for staff accounts"),
    ("status-page", "Status page shows an old notice"),
    ("search-index", "Heap above 85 % on search-3"),
    ("warehouse-sync", "Feed file arrived empty"),
    ("payment-gateway", "Challenge failures above 12 % at one issuer"),
    ("mailer", "Template receipts/de renders without a total"),
    ("checkout-api", "Carts cannot be saved in two shops"),
    ("pricing", "Tax table for 2 countries has no rate"),
    ("edge-proxy", "Certificate of gw.fernway.example expires in 7 days"),
    ("ledger-db", "Backup older than 26 h"),
    ("storefront", "Largest paint above 4 s on product pages"),
    ("batch", "Clock of batch-03 is 4 min ahead"),
    ("help-desk", "Phone queue longer than 15 min"),
    ("identity", "One-time codes arrive late in 4 countries"),
    ("invoice-export", "Number range for invoices is nearly used up"),
    ("warehouse-sync", "Feed lines of warehouse 5 cannot be read"),
    ("search-index", "Synonyms not loaded after restart"),
    ("legacy-importer", "Partner feed ends in the middle of a record"),
    ("payment-gateway", "Settlement file rejected by the bank"),
    ("legacy-importer", "Import of 2019 archive stopped at 71 %"),
    ("edge-proxy", "DNS lookups fail for the internal zone"),
)
_OUTCOMES = ("quick", "quick", "quick", "alone", "alone", "slow", "runs out", "left", "snoozed", "by hand", "calmed")
_FINDINGS = (
    "Restarted one host, the others were healthy.",
    "Rolled back the last release.",
    "Provider confirms trouble on their side.",
    "False alarm: the threshold does not know about the sale.",
    "Added capacity; will look at the cause tomorrow.",
    "Same cause as last month. Ticket has the details.",
)
_FIRST, _LAST = 2.2 * HOUR, 355 * DAY


def scripts(world: World) -> list[IncidentScript]:
    """Everything that is over, newest first."""
    dice = world.dice("incidents/past")
    growth = (_LAST / _FIRST) ** (1 / (len(_ALERTS) - 1))
    found = []
    for place, (service, title) in enumerate(_ALERTS):
        age = int(_FIRST * growth**place * dice.uniform(0.97, 1.03))
        found.append(_tell(dice, place, service, title, age))
    return found


def any_alert(dice: random.Random) -> tuple[str, str]:
    """One of the alerts, as service and title, that may come again at any time."""
    return dice.choice([alert for alert in _ALERTS if alert[0] not in ("legacy-importer", "image-resizer")])


def handled_alert(dice: random.Random, key: str, service: str, title: str, age: int, low: float) -> IncidentScript:
    """An alert with a random response. `low`: the probability of low urgency."""
    steps = _outcome(dice, dice.choice(_OUTCOMES))
    if dice.random() < 0.35:
        steps.append(set_priority(1 + dice.randrange(3), dice.choice(("P2", "P3", "P4", "P5"))))
    return script(
        key,
        service,
        title,
        age,
        *steps,
        urgency="low" if dice.random() < low else "high",
        priority=dice.choice((None, None, "P2", "P3", "P4")),
        channel=dice.choice(("api", "api", "api", "email", "nagios", "auto")),
        alerts=dice.choice((1, 1, 1, 2, 3, 8)),
    )


def _tell(dice: random.Random, place: int, service: str, title: str, age: int) -> IncidentScript:
    key = f"past-{place}"
    if place == 0:
        steps = [acknowledge(3), merge(14, "past-1"), note(70, "One incident is enough for both.", "mei.tan")]
        return script(key, service, title, age, *steps, alerts=3)
    if place == 1:
        return script(key, service, title, age, acknowledge(3), acknowledge(31), resolve(80), priority="P2", alerts=9)
    if title.startswith("Error budget"):
        storm = [alert(2 + 1.5 * number) for number in range(16)]
        responses = [acknowledge(6), acknowledge(37), acknowledge(68), acknowledge(99), resolve(125)]
        return script(key, service, title, age, *storm, *responses, priority="P1", bridge=True)
    return handled_alert(dice, key, service, title, age, low=1 / 3)


def _outcome(dice: random.Random, outcome: str) -> list[Step]:
    """How somebody, or nobody, responded."""
    minute = dice.randint(3, 9)
    found = note(minute + 6, dice.choice(_FINDINGS))
    match outcome:
        case "alone":
            return [resolve(dice.randint(4, 11), channel="api")]
        case "slow":
            late = dice.randint(18, 40)
            return [acknowledge(late, channel="sms"), note(late + 5, dice.choice(_FINDINGS)), resolve(late + 22)]
        case "runs out":
            return [acknowledge(minute), found, acknowledge(minute + 44), resolve(minute + 61)]
        case "left":
            return [resolve(118, channel="website")]
        case "snoozed":
            return [acknowledge(minute), snooze(minute + 3, 1), resolve(minute + 80)]
        case "by hand":
            return [
                assign(minute, ["ivo.petrov"]),
                acknowledge(minute + 10, "ivo.petrov"),
                resolve(minute + 75, "ivo.petrov"),
            ]
        case "calmed":
            return [
                acknowledge(minute),
                set_urgency(minute + 1, "low"),
                fill_in(minute + 2, "Region", "fra1"),
                resolve(100),
            ]
        case _:
            return [
                acknowledge(minute, channel=dice.choice(("website", "sms"))),
                found,
                resolve(minute + dice.randint(9, 25)),
            ]
