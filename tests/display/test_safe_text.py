"""Text from outside, made visible."""

from __future__ import annotations

import json
import unicodedata

from registry.display.safe_text import shortened, visible, visible_json, visible_line


def test_nothing_that_a_terminal_obeys_comes_through() -> None:
    everything = "".join(chr(code) for code in range(0x11_0000))
    for kept, text in (("\t\n", visible(everything)), ("", visible_line(everything))):
        left = {char for char in text if unicodedata.category(char) in ("Cc", "Cs")}
        assert left == set(kept)
        assert not set("\u202a\u202e\u2066\u2069\u200e\u200f\u061c\u200b\ufeff\u2028") & set(text)
        text.encode("utf-8")


def test_ordinary_text_of_any_script_stays() -> None:
    for text in ("Zoé Müller", "東京 株式会社", "مرحبا", "שלום", "a [bold]b[/x]", "👩‍👧 ❤️", "naïve – “quoted”"):
        assert visible_line(text) == text


def test_escapes_look_like_those_of_json() -> None:
    assert visible_line("a\x1b[31m\nb\u202e\x9b") == "a\\u001b[31m\\nb\\u202e\\u009b"
    assert visible("a\nb\tc\r") == "a\nb\tc\\u000d"
    assert visible("\U000e0041") == "\\udb40\\udc41"


def test_json_stays_the_same_json() -> None:
    value = {"a": "x\x1b\x85\u202e\U000e0041\u2028\ud800"}
    text = json.dumps(value, ensure_ascii=False)
    assert json.loads(visible_json(text)) == value
    assert visible_json(text).isprintable()


def test_shortened() -> None:
    assert shortened("abcdef", 4) == "abc…"
    assert shortened("abc", 3) == "abc"
