"""The first look at a text says no only where the search for every spelling of a secret finds nothing."""

from __future__ import annotations

import json
from base64 import b64encode, urlsafe_b64encode
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from registry.accounts import spelling
from registry.accounts.spelling import Spelling
from tests.random_bodies import spellings
from tests.sampled import examples

SECRETS = (
    "sk_live_51HabcDEF0xX",
    "p&ss/\"w\\o'rd <x>+=",
    "pässwörd東京😀x",
    "Basic c2tfdGVz==+/",
    "correct horse battery",
    "CorrectHorse",
    "sandboxes",
    "0x00-00:00 x",
    "4567-4567-abcd-ABCD",
)


def _base64(secret: str) -> list[str]:
    held = secret.encode()
    inner = [held, b64encode(held), secret.encode("utf-16-le"), secret.encode("utf-16-be")]
    ways = (b64encode, urlsafe_b64encode)
    return [encode(b"u" * before + one + b"zz").decode() for encode in ways for one in inner for before in range(3)]


def _numbers(secret: str, between: str) -> list[str]:
    codes = secret.encode()
    return [
        codes.hex(),
        codes.hex(" ").upper(),
        between.join(f"0x{code:02x}" for code in codes),
        between.join(f"\\x{code:02X}" if code % 2 else f"{code:02x}" for code in codes),
        between.join(map(str, codes)),
    ]


@st.composite
def texts(draw: st.DrawFn, secret: str) -> bytes:
    """Forms of a secret, whole, cut or with a letter of another kind, among text that looks like them."""
    cases = (secret, secret.upper(), secret.lower(), secret.swapcase())
    between = draw(st.sampled_from([" ", ", ", ":", "; -", "\n\t", "\v"]))
    forms = [form for case in cases for form in (case, json.dumps(case)[1:-1], *_numbers(case, between))]
    forms += [form for case in cases[:3] for form in (*spellings(case), *_base64(case))]
    pieces = []
    for _ in range(draw(st.integers(0, 4))):
        piece = draw(st.sampled_from(forms))
        match draw(st.integers(0, 5)):
            case 0:
                piece = piece[: draw(st.integers(0, len(piece)))]
            case 1:
                place = draw(st.integers(0, len(piece)))
                piece = (
                    piece[:place]
                    + draw(st.sampled_from(["", "0", "x", " ", "\xad", "\u200b", "\0", "\\", "é"]))
                    + piece[place:]
                )
            case _:
                pass
        pieces += [piece, draw(st.sampled_from(["", '"', ", ", '{"a": 1}', "=", "&#", "%25", "\\u0", "é", "\xad"]))]
    return "".join(pieces).encode("utf-8", "surrogatepass")


@pytest.mark.parametrize("secret", SECRETS)
@examples(20, 60, derandomize=True)
@given(st.data())
def test_what_the_search_finds_is_found(secret: str, data: st.DataObject) -> None:
    text = data.draw(texts(secret))
    searched = Spelling(secret)
    assert searched.replaced(text, b"*") == searched._masked(text, b"*")


@pytest.mark.parametrize("secret", SECRETS)
def test_each_form_is_found_by_itself(secret: str) -> None:
    searched = Spelling(secret)
    long_way = (b"\0", b"\\", b"%", b"=", b"&")
    for case in {secret, secret.upper(), secret.lower()}:
        for cut in (case[:length].encode() for length in range(6, len(case))):
            assert searched.replaced(cut, b"*") == searched._masked(cut, b"*")
        numbers = [form for between in (", ", ":", "; -") for form in _numbers(case, between)]
        for form in [*spellings(case), *_base64(case), *numbers]:
            text = b"<" + form.encode("utf-8", "surrogatepass") + b">" * 200
            found = searched._masked(text, b"*")
            assert searched.replaced(text, b"*") == found
            if found != text and not any(sign in text for sign in long_way) and form.isascii():
                assert any(left in text.translate(spelling._ALIKE, spelling._LEFT_OUT) for left in searched._left)


def test_a_form_is_found_where_the_text_is_parted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spelling, "_STEP", 64)
    secret = SECRETS[0]
    searched = Spelling(secret)
    for form in [secret.upper(), *_base64(secret)[:6], *_numbers(secret, ", ")]:
        for before in range(40, 70):
            text = b"y" * before + form.encode() + b"z" * 300
            assert searched.replaced(text, b"*") == searched._masked(text, b"*") != text


def test_usual_text_needs_no_search(monkeypatch: pytest.MonkeyPatch) -> None:
    def searched(_: Spelling, text: bytes, mask: bytes) -> bytes:
        raise AssertionError

    monkeypatch.setattr(Spelling, "_masked", searched)
    names = ("id", "object", "livemode", "sk_live_51Habc", "73 6b 5f 6c", "c2tfbGl2ZV81MUhhYm")
    for name, other in pairwise(names):
        text = json.dumps({name: other, "url": "https://x.example/?a=b&c=%20", "text": 'a "word" \n é'}).encode()
        assert Spelling(SECRETS[0]).replaced(text, b"*") is text
