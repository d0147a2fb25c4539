"""What this toolkit says about the start page stands beside what the other toolkits say."""

from __future__ import annotations

from registry.finding.first_questions import also_pasted, learnt
from tests.tickets.service import Tracker

KITS = ("PaymentsApi", "Incidents", "CrmUsersApi")


def test_what_else_can_be_pasted_comes_from_every_toolkit_in_the_declared_order(tickets: Tracker) -> None:
    assert [one.example for one in also_pasted(KITS)] == ["$120.00", "4444", "#4062", "req_…"]
    assert [one.example for one in also_pasted(["Tickets"])] == ["label-7", "v1"]
    assert [one.place for one in also_pasted(["Tickets", *KITS])] == [1, 2, 3, 4], "four of them, the first in order"
    assert [one.place for one in also_pasted(["Tickets", "Incidents"])] == [3, 7, 8]
    assert learnt(["Tickets"]) == ["close an issue"]
