"""Secrets show themselves nowhere, and are masked in the four spellings that `docs/security.md` defends against."""

import json
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Callable
from itertools import product
from urllib.parse import quote

import pytest

from registry.accounts.secrets import MASK, Secret, redacted

SECRETS = ["sk_live_51HabcDEF", "p&ss/\"w\\o'rd <x>", "pässwörd東京😀x", "Basic QWxh==+/"]
SPELLINGS: dict[str, Callable[[str], str]] = {
    "as itself": str,
    "JSON": lambda secret: json.dumps(secret)[1:-1],
    "JSON without escapes for letters": lambda secret: json.dumps(secret, ensure_ascii=False)[1:-1],
    "JSON with \\/": lambda secret: json.dumps(secret)[1:-1].replace("/", "\\/"),
    "JSON in HTML": lambda secret: (
        json.dumps(secret)[1:-1].replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")
    ),
    "percent-encoded": lambda secret: quote(secret, safe=""),
    "percent-encoded in a path": quote,
    "percent-encoded by JavaScript": lambda secret: quote(secret, safe="!'()*"),
    "percent-encoded in a form": lambda secret: quote(secret, safe="").replace("%20", "+"),
}


def test_a_secret_is_masked() -> None:
    for (spelling, spelled), secret in product(SPELLINGS.items(), SECRETS):
        told = f'{{"a":"{spelled(secret)}"}}'.encode()
        assert redacted(told, [secret]).decode() == f'{{"a":"{MASK}"}}', spelling


@pytest.mark.parametrize("encode", [b64encode, urlsafe_b64encode])
def test_a_secret_is_masked_in_base64(encode: Callable[[bytes], bytes]) -> None:
    befores, afters = ("", "ada:", "u:", "us:", "Bearer "), ("", ":", "@x")
    for secret, before, after in product(SECRETS, befores, afters):
        told = encode(f"{before}{secret}{after}".encode())
        left = redacted(told, [secret]).decode()
        assert MASK in left, (before, secret, after)
        start, _, end = left.partition(MASK)
        known = [*before.encode(), *after.encode()]  # what is left tells nothing but what is around it
        assert len(start) + len(end.rstrip("=")) <= len(known) * 8 / 6 + 3, (before, secret, after)


def test_a_secret_that_begins_like_another_leaves_nothing_of_it() -> None:
    assert redacted(b"key-12345678-and-more", ["key-12345678", "key-12345678-and-more"]).decode() == MASK


def test_a_short_text_is_no_secret() -> None:
    assert redacted(b"abcdefg", ["abcdefg"]) == b"abcdefg"


def test_printing_a_secret_shows_a_mask() -> None:
    secret = Secret("sk_live_MARKED")
    assert {str(secret), repr(secret), f"{secret}"} == {f"Secret({MASK})"}
    assert secret == Secret("sk_live_MARKED") != Secret("sk_live_OTHER")
