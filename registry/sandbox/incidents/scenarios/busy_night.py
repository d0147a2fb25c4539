"""The usual scenario: the open incidents at the beginning, and the events of the first hour.

One of each kind that a screen must distinguish: unacknowledged for minutes, escalated to the second level, through its whole
policy, acknowledged and running out, acknowledged and forgotten, snoozed, assigned by hand and never escalating, waiting for
office hours; with and without priority, of high and low urgency.

Within the first hour everything happens once that a screen must follow: an alert that nobody answers and that escalates, an
acknowledgement that runs out, a recovery by itself, a handoff, a maintenance window.
"""

from __future__ import annotations

from registry.sandbox.incidents.incident_scripts import (
    IncidentScript,
    acknowledge,
    alert,
    assign,
    delegate,
    fill_in,
    note,
    resolve,
    respond,
    script,
    set_priority,
    set_urgency,
    snooze,
)
from registry.sandbox.incidents.scenarios.scenario import Maintenance, Override, Scenario
from registry.sandbox.world import DAY, HOUR, MINUTE, World


def scenario(_world: World) -> Scenario:
    """The whole night."""
    return Scenario(
        [*standing(), *_coming()],
        pause=7 * MINUTE,
        overrides=(Override("payments-secondary", "mei.tan", 12 * MINUTE, 2 * HOUR),),
        maintenance=(Maintenance("pricing", 20 * MINUTE, 30 * MINUTE),),
    )


def _coming() -> list[IncidentScript]:
    """What happens in the first hour, in addition to random events."""
    return [
        script(
            "declines-doubled",
            "payment-gateway",
            "Card declines doubled for one issuer",
            -MINUTE,
            acknowledge(8, channel="sms"),
            note(11, "Issuer confirms trouble on their side."),
            acknowledge(44),
            resolve(52),
            priority="P2",
            alerts=5,
        ),
        script("probe-flaps", "identity", "Sign-in probe fails from one region", -3 * MINUTE, resolve(6, channel="api")),
        script("queue-grows", "batch", "Export queue grows by 900 per minute", -9 * MINUTE, alert(4), alert(8), priority="P3"),
    ]


def standing() -> list[IncidentScript]:
    """Everything that is open at the beginning."""
    return [
        script(
            "orders-5xx",
            "checkout-api",
            "5xx rate above 20 % on POST /orders",
            4 * MINUTE + 12,
            respond(3, "zoe.martin", "Orders are failing, please decide about the sale banner", "pending"),
            priority="P1",
            alerts=7,
            text="Error budget for the month is used up at this rate in 40 minutes.",
            bridge=True,
        ),
        script(
            "frankfurt-latency",
            "checkout-api",
            "p99 latency above 4 s in Frankfurt",
            44 * MINUTE,
            acknowledge(6),
            note(9, "Looks like the pool change from this morning. Rolling back."),
            priority="P3",
            alerts=3,
        ),
        script(
            "replica-lag",
            "ledger-db",
            "Replica lag 340 s on ledger-db-2",
            26 * MINUTE,
            acknowledge(4, channel="sms"),
            set_priority(6, "P2"),
            note(11, "Long-running vacuum. Watching it, reads go to ledger-db-3."),
            priority="P4",
            alerts=2,
        ),
        script(
            "sin1-502",
            "edge-proxy",
            "502s from upstream storefront, sin1 only",
            17 * MINUTE,
            fill_in(3, "Region", "sin1"),
            respond(5, "siobhan.obrien", "Please prepare a notice for Singapore", "joined"),
            respond(6, "kenji.mori", "Is the search cluster involved?", "declined"),
            priority="P2",
            alerts=12,
            bridge=True,
        ),
        script("edge-escapes", "edge-proxy", "TLS handshake failures on edge-04", 2 * HOUR + 10 * MINUTE, alerts=4),
        script(
            "batch-disk",
            "batch",
            "Disk 80 % full on batch-07",
            40 * DAY + 3 * HOUR,
            assign(3, ["kenji.mori"], "priya.nair"),
            urgency="low",
        ),
        script(
            "settlement-late",
            "batch",
            "Nightly settlement job late by 45 min",
            22 * MINUTE,
            priority="P3",
            channel="email",
        ),
        script(
            "batch-bidi",
            "batch",
            "Report summary.pdf missing from the nightly run",
            7 * HOUR,
            acknowledge(25, "priya.nair"),
            urgency="low",
            channel="nagios",
        ),
        script(
            "index-behind",
            "search-index",
            "Index is 6 h behind the catalogue",
            5 * HOUR,
            acknowledge(12),
            note(18, "Rebuild started, takes the night."),
            snooze(20, 8),
            priority="P3",
        ),
        script("shards", "search-index", "Cluster status yellow: 2 unassigned shards", 38 * MINUTE),
        script(
            "narrow-button",
            "storefront",
            "Checkout button hidden on narrow screens",
            9 * HOUR + 20 * MINUTE,
            acknowledge(20),
            note(26, "Confirmed on 320 px. Fix needs a release."),
            priority="P3",
            channel="web_trigger",
            by="grace.bell",
            text="Three customers wrote in; screenshots are in the ticket.",
        ),
        script("images-gone", "storefront", "Category images answer 404 in two shops", 41 * MINUTE),
        script(
            "stock-silent", "warehouse-sync", "Stock feed silent for 2 h", 3 * HOUR, *(alert(20 + 10 * n) for n in range(14))
        ),
        script(
            "disk-markup",
            "edge-proxy",
            "Disk 94 % full on edge-02",
            3 * HOUR + 25 * MINUTE,
            acknowledge(2),
            set_urgency(4, "low"),
            snooze(30, 12),
        ),
        script(
            "mail-late",
            "help-desk",
            "Ticket mail not delivered for 20 min",
            33 * MINUTE,
            acknowledge(9, channel="sms"),
            priority="P4",
            channel="email",
        ),
        script(
            "bounces",
            "mailer",
            "Bounce rate 9 % at two mailbox providers",
            15 * MINUTE,
            delegate(8, "platform", "freya.lind"),
            note(8, "Not ours: the sending addresses changed with the new edge.", "freya.lind"),
        ),
        script(
            "export-stopped",
            "invoice-export",
            "Month-end export stopped at 62 %",
            30 * HOUR,
            acknowledge(50),
            fill_in(52, "Affected period", "last month"),
            channel="auto",
        ),
    ]
