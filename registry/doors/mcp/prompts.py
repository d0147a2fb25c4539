"""Prompts that a person picks in the client: requests that lead an agent to the right tools."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from registry.text.safe_text import shortened, visible_line

_LONGEST = 200


@dataclass(frozen=True, slots=True)
class Template:
    """A prompt. If it takes an argument, `text` contains its name in braces."""

    name: str
    title: str
    description: str
    text: str
    argument: str = ""

    def filled(self, arguments: Mapping[str, str]) -> str:
        """The text with its argument.

        Raises:
            ValueError: the argument is missing.
        """
        if not self.argument:
            return self.text
        value = shortened(visible_line(arguments.get(self.argument, "").strip()), _LONGEST)
        if not value:
            raise ValueError(f"{self.argument} is required: {self.description}")
        return self.text.replace("{" + self.argument + "}", value)


PROMPTS = (
    Template(
        "handoff",
        "Hand over the shift",
        "What the next person on call needs to know.",
        "Read oncall_dashboard. Write a handover for the next person on call: open incidents with their ids, the most "
        "urgent first, with assignees, who is paged next and when, and what is unknown. Add nothing that is not there.",
    ),
    Template(
        "who_is_on_call",
        "Who is on call",
        "Who is on call now, on each level.",
        "Read oncall_dashboard. List who is on call now, by escalation policy and level, and until when. Say what is unknown.",
    ),
    Template(
        "why_did_this_fail",
        "Why did this payment fail",
        "An id of a payment, charge or invoice, or a customer's email.",
        "Find out why the payment behind “{id}” failed. Start with follow, or with find_tools and its words. Read the charge "
        "or the payment intent, the invoice and the customer. Give the reason in the service's words, since when, and what "
        "can be done. Change nothing.",
        "id",
    ),
)
