"""Text from outside, made visible; what times and amounts mean, beside the number; one ranking of names."""

import json
import unicodedata
from collections.abc import Sequence

import pytest

from registry.text.filter_line import ranked
from registry.text.shown import exact_json, exact_text, money, reading, visible, visible_json, visible_line
from tests.cases import cases_beside
from tests.sampled import further

CASES = cases_beside(__file__)


@pytest.mark.parametrize(
    "codes", [(*range(0x2_0000), *range(0xE_0000, 0xE_1000)), *further(range(0x11_0000))], ids=["some", "all"]
)
def test_nothing_that_a_terminal_obeys_comes_through(codes: Sequence[int]) -> None:
    """Quickly of all planes in which some letters are special."""
    everything = "".join(map(chr, codes))
    for kept, text in (("\t\n", visible(everything)), ("", visible_line(everything))):
        left = {char for char in set(text) if unicodedata.category(char) in ("Cc", "Cs")}
        assert left == set(kept)
        assert not set("\u202a\u202e\u2066\u2069\u200e\u200f\u061c\u200b\ufeff\u2028") & set(text)
        text.encode("utf-8")


def test_ordinary_text_of_any_script_stays() -> None:
    for text in ("Zoé Müller", "東京 株式会社", "مرحبا", "שלום", "a [bold]b[/x]", "👩‍👧 ❤️", "naïve – “quoted”"):
        assert visible_line(text) == text


UNSEEN = "\xad\u034f\u115f\u1160\u17b4\u180b\u180e\u200b\u200c\u200d\u2060\u2800\u3164\ufe00\ufe0f\uffa0"
UNSEEN += "\U0001d173\U000e0041\U000e0100"


@pytest.mark.parametrize("letter", UNSEEN, ids=ascii)
def test_what_nobody_sees_is_shown(letter: str) -> None:
    for text in (letter, f"a{letter}b", f"sk{letter}_live", f"{letter * 3}", f"1{letter}"):
        for shown in (visible(text), visible_line(text), visible_json(text), exact_json(text)):
            assert letter not in shown
            assert json.loads(f'"{shown}"') == text
        assert exact_text(text) == text


@pytest.mark.parametrize("text", CASES["living scripts"])
def test_emoji_and_living_scripts_stay(text: str) -> None:
    for form in (visible, visible_line, visible_json, exact_json, exact_text):
        assert form(text) == text


def test_heaps_of_marks_are_cut_for_eyes_only() -> None:
    for mark in ("\u0301", "\u0e34", "\u20dd", "\u0903"):
        text = f"e{mark * 500}x e{mark * 8}"
        assert visible(text) == visible_json(text) == f"e{mark * 8}…x e{mark * 8}"
        assert exact_text(text) == exact_json(text) == text


def test_exact_text_changes_controls_only() -> None:
    everything = "".join(chr(code) for code in range(0x11_0000) if unicodedata.category(chr(code)) not in ("Cc", "Cs"))
    assert exact_text(everything) == everything
    assert exact_text("a\tb\r\n\x1b]52;c;x\x07\x9b") == "a\tb\r\n\\u001b]52;c;x\\u0007\\u009b"


PEOPLE = [
    ("Padaria Aurora Ltda", "finance@padaria.example"),
    ("Jo Byron", "ada@byron.example"),
    ("Müller, Ada", "m@mueller.example"),
    ("Ada Romero", "accounts@ada-romero.example"),
]


@pytest.mark.parametrize(
    ("typed", "names"),
    [
        ("Ada", ["Ada Romero", "Jo Byron", "Müller, Ada", "Padaria Aurora Ltda"]),
        ("rom", ["Ada Romero"]),
        ("ada muller", ["Müller, Ada"]),
        ("aurora pad", ["Padaria Aurora Ltda"]),
        ("", [name for name, _ in PEOPLE]),
        ("zz", []),
    ],
)
def test_what_begins_with_the_text_comes_first(typed: str, names: list[str]) -> None:
    assert [name for name, _ in ranked(PEOPLE, typed, lambda one: one)] == names


NOW = 1_763_000_000


@pytest.mark.parametrize(("key", "value", "currency", "told"), CASES["readings"])
def test_readings(key: str | None, value: str, currency: str | None, told: str) -> None:
    assert reading(key, value, {"currency": currency}.get, NOW) == told


def test_s4_amounts_of_currencies_without_parts_and_in_thousandths() -> None:
    amounts = (money(0, "usd"), money(5, "usd"), money(-5, "bhd"), money(12, "krw"))
    assert amounts == ("0.00 USD", "0.05 USD", "-0.005 BHD", "12 KRW")
    # Without parts for people, with two places for the service.
    assert (money(500_000, "ugx"), money(120_000, "isk"), money(1_050, "huf")) == ("5,000 UGX", "1,200 ISK", "10.50 HUF")
    assert (money(1_050, "twd"), money(500, "mga"), money(-50_000, "ugx")) == ("10.50 TWD", "500 MGA", "-500 UGX")
