"""Arguments as JSON text: both ways without loss, and mistakes with their place."""

from __future__ import annotations

import pytest

from registry.accounts.secrets import MASK
from registry.catalog.loader import load
from registry.saved.form_values import mistakes_in, name_at, place_of, reading, written

TOOLS = load().tools
INCIDENTS = TOOLS["ListIncidents"]
INTENT = TOOLS["RetrievePaymentIntentDetails"]


def told(text: str, tool: str = "ListIncidents") -> list[str]:
    return [str(mistake) for mistake in mistakes_in(TOOLS[tool], text, reading(TOOLS[tool], text, {}))]


@pytest.mark.parametrize(
    ("text", "mistake"),
    [
        ('{"limt": 3}', "1:2 `limt` is not a parameter of ListIncidents; did you mean `limit`?"),
        ('{\n  "limit": 1.10\n}', '2:12 `limit` must be a whole number from 1 to 50; got "1.10"'),
        ('{"limit": 3,\n "limit": 4}', "2:2 `limit` appears twice; first on line 1"),
        ('{"limit": 5,}', "1:12 trailing comma before }"),
        ('{"limit": NaN}', "1:11 NaN is not valid JSON"),
        ('{"urgency": high}', "1:13 high is not valid JSON; put strings in double quotes"),
        ('{"urgency": "higj"}', '1:13 `urgency` must be high or low; got "higj"; did you mean high?'),
        ('{"team_ids": [1.10]}', "1:14 `team_ids` must be a list of strings in double quotes; got [1.10]"),
        ('{"since": 5}', '1:11 `since` must be text; got 5. Write it in quotes: "…"'),
        ('{"limit": 5 "since": ""}', "1:13 expected a comma or }"),
        ('{"limit": 5} x', "1:14 unexpected text after the closing }"),
        ("", "1:1 expected an object: {…}"),
        ('{"limit": ' + "[" * 100_000, "1:1 this is nested too deeply"),
    ],
)
def test_mistakes_have_a_place_a_name_and_a_rule(text: str, mistake: str) -> None:
    assert told(text) == [mistake]


def test_null_is_not_set_and_words_are_those_of_the_form() -> None:
    assert reading(INCIDENTS, '{"limit": null, "urgency": "HIGH", "since": ""}', {}).raw == {"urgency": "high", "since": ""}
    overview = TOOLS["ListLogEntries"]
    assert reading(overview, '{"is_overview": false}', {}).raw == {"is_overview": "false"}
    assert "must be true or false; got 1" in str(reading(overview, '{"is_overview": 1}', {}).mistakes[0])


def test_a_secret_stands_as_a_mask_and_stays_what_it_was() -> None:
    held = {"payment_intent_id": "pi_1", "payment_intent_client_secret": "MARKED"}
    text = written(INTENT, held)
    assert "MARKED" not in text
    assert reading(INTENT, text, held).raw == held
    other = text.replace(MASK, "typed")
    assert "is a secret: enter it in its form field" in str(reading(INTENT, other, held).mistakes[0])
    assert reading(INTENT, '{"payment_intent_id": "pi_1"}', held).raw == {"payment_intent_id": "pi_1"}


def test_which_parameter_a_place_is_in() -> None:
    text = written(INCIDENTS, {"urgency": "high", "limit": "5"})
    assert name_at(INCIDENTS, text, place_of(text, 1, 15)) == "urgency"
    assert name_at(INCIDENTS, text, place_of(text, 2, 0)) == "urgency"
    assert name_at(INCIDENTS, text, place_of(text, 2, 4)) == "limit"
    assert name_at(INCIDENTS, text, 0) == ""
    assert name_at(INCIDENTS, '{"limit": 5, "x', 14) == "limit"
