"""Words longer than their line break between their parts."""

from __future__ import annotations

import pytest
from textual.content import Content

from tui.widgets.broken_words import broken


@pytest.mark.parametrize(
    ("text", "width", "lines"),
    [
        ("SearchPaymentsSubscriptions", 26, ["SearchPayments", "Subscriptions"]),
        ("expand_fields_in_response  list", 22, ["expand_fields_in_", "response  list"]),
        ("?query=email:%22aurora%22&limit=10", 20, ["?query=email:%22", "aurora%22&limit=10"]),
        ("/payments/v1/subscriptions/search", 16, ["/payments/v1/", "subscriptions/", "search"]),
        ("short SearchPrices", 18, ["short SearchPrices"]),
        ("abcdefghijklmnop", 10, ["abcdefghijklmnop"]),
    ],
)
def test_long_words_are_broken_at_their_parts(text: str, width: int, lines: list[str]) -> None:
    assert broken(Content(text), width).plain.split("\n") == lines
    assert broken(Content.styled(text, "bold"), width).plain.replace("\n", "") == text
