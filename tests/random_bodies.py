"""Random responses: bytes, character sets, escapes, cuts, depth, size, and secrets in every defended spelling."""

import base64
import io
import json
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import pytest

from tests.hostile import CONTROLS, MARKUP

CREDENTIAL = "sk_live_51MARKEDcredential0Qz9"
ARGUMENT = "pi_1_secret_MARKEDargument7Hd2"
HIDDEN = "MARKEDhidden-in-the-answer"
LEAKS = (b"MARKEDcredential", b"MARKEDargument", b"MARKEDhidden")


class Terminal(io.StringIO):
    """An output that commands take for a terminal."""

    def isatty(self) -> bool:
        return True


def home(folder: Path, patch: pytest.MonkeyPatch, *credentials: str) -> Path:
    """An empty home with a work folder. The variables in `credentials` hold the credential."""
    for name in ("STATE", "CONFIG", "CACHE", "DATA"):
        patch.setenv(f"XDG_{name}_HOME", str(folder / name.lower()))
    for name in credentials:
        patch.setenv(name, CREDENTIAL)
    (folder / "work").mkdir()
    patch.chdir(folder / "work")
    return folder


_NAMES = ["client_secret", "client\\u005fsecret", "secret", "access_token"]
_STARTS = [b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff", b"\xff\xfe\0\0", b"\0", b"\x1b]52;c;SEFSTQ==\x07"]
INVISIBLE = [
    chr(code) for code in (0xAD, 0x34F, 0x115F, 0x180E, 0x200B, 0x202E, 0x2066, 0x3164, 0xFFA0, 0xFE0F, 0xE0101, 0xE0041)
]
TEXTS = [
    *MARKUP,
    *CONTROLS[:-2],
    *INVISIBLE,
    "e" + "\u0301" * 500,
    "👩‍👧 ❤️ 1️⃣",
    "مرحبا",
    "क्‍ष",
    "東京",
    "",
    "x" * 3_000,
    "=1+1",
    "\\",
    '"',
]
FORGED = "no\ncallboard: Deleted.\r\x1b[2K\u2028callboard: Deleted."
_NUMBERS = ["0", "-0.0", "1e400", "-1e-400", "9" * 5_000, "1.10", "NaN", "Infinity", "-Infinity", "1700000000", "true", "null"]
_READ = ["utf-8", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-be", "iso-8859-1", "cp1252"]
_SETS = [*_READ, "utf-7", "cp037", "shift-jis", "x-none"]


def spellings(secret: str) -> list[str]:
    """The ways in which services and proxies write a secret, of those that are defended against."""
    return [
        secret,
        json.dumps(secret)[1:-1],
        quote(secret, safe=""),
        base64.b64encode(f"user:{secret}".encode()).decode(),
        base64.b64encode(f"Bearer {secret}".encode()).decode(),
        base64.urlsafe_b64encode(secret.encode()).decode(),
    ]


@dataclass(frozen=True, slots=True)
class Case:
    """One response."""

    seed: int
    status: int
    content_type: str
    body: bytes

    def response(self) -> httpx.Response:
        """The response as a service sends it."""
        headers = {"Request-Id": "req_1", "X-Told": f"Bearer {CREDENTIAL}"}
        if self.content_type:
            headers["Content-Type"] = self.content_type
        return httpx.Response(self.status, headers=headers, content=self.body)


def case(seed: int, sent: Sequence[str] = (CREDENTIAL, ARGUMENT)) -> Case:
    """The response for a seed. It can contain the secrets in `sent`."""
    dice = random.Random(seed)
    status = dice.choice([200, 200, 200, 201, 400, 401, 404, 409, 500])
    text = _document(dice, status, sent)
    charset = dice.choice(_READ) if dice.random() < 0.4 else "utf-8"
    try:
        body = text.encode(charset, "surrogatepass" if charset.startswith("utf") else "replace")
    except (LookupError, UnicodeError):
        body = text.encode("utf-8", "replace")
    declared = dice.choice(
        ["", "application/json", f"application/json; charset={charset}", f'text/html; charset="{dice.choice(_SETS)}"']
    )
    return Case(seed, status, declared, _harmed(dice, body))


def _harmed(dice: random.Random, body: bytes) -> bytes:
    match dice.randrange(10):
        case 0 | 1 as cut:
            # Between members: a part of a secret is not one.
            place = dice.choice([number for number, code in enumerate(body) if code in b",{["] or [0])
            return body[:place] + (dice.randbytes(dice.randrange(1, 9)) + body[place:] if cut else b"")
        case 2:
            return dice.choice(_STARTS) + body
        case 3 if dice.random() < 0.3:
            return dice.randbytes(dice.randrange(2_000))
        case 4 if dice.random() < 0.3:
            depth = dice.choice([50, 900, 5_000, 100_000])
            return dice.choice([b"[", b'{"a":']) * depth + (b"]" * depth if dice.random() < 0.5 else b"")
    return body


def _document(dice: random.Random, status: int, sent: Sequence[str]) -> str:
    values: list[Callable[[], str]] = [
        lambda: _string(dice, dice.choice(TEXTS)),
        lambda: _string(dice, dice.choice(TEXTS)),
        lambda: dice.choice(_NUMBERS),
        lambda: f'"{dice.choice(spellings(dice.choice(sent)))}"',
        lambda: dice.choice(['"\\ud800"', '"\\udfffx"', '"\\ud83d\\ude00"', '"\\/"', '"\\u001b]52;c;x\\u0007"']),
        lambda: "[" + ",".join(dice.choice(_NUMBERS[:6]) for _ in range(dice.randrange(4))) + "]",
        lambda: "{" + ",".join(f"{_string(dice, dice.choice(TEXTS)[:40])}:1" for _ in range(3)) + "}",
        lambda: json.dumps(json.dumps({"client_secret": HIDDEN})),
    ]
    members = [f'"m{place}":{dice.choice(values)()}' for place in range(dice.randrange(1, 9))]
    members.append(f'"{dice.choice(_NAMES)}":"{HIDDEN}"')
    members += ['"id":"pi_1"', '"object":"payment_intent"'] * dice.randrange(1, 3)
    if status >= 400:
        told = dice.choice([FORGED, dice.choice(TEXTS), dice.choice(spellings(CREDENTIAL)), "\ud800"])
        members.append(
            '"error":{"message":' + (json.dumps(told) if "\\u" not in told else f'"{told}"') + ',"type":"api_error"}'
        )
    dice.shuffle(members)
    whole = "{" + ",".join(members) + "}"
    items = ",".join([whole] * dice.choice([1, 1, 2, 40]))
    return dice.choice(
        [whole, whole, whole, f"[{items}]", f'{{"data":[{items}],"has_more":false,"object":"list"}}', f'"{CREDENTIAL}"']
    )


def _string(dice: random.Random, text: str) -> str:
    return json.dumps(text, ensure_ascii=dice.random() < 0.5)


def leaks_in(text: bytes) -> list[bytes]:
    """The secrets in a text."""
    return [mark for mark in LEAKS if mark in text]


def controls_in(text: str, allowed: str = "\n") -> set[str]:
    """The characters in a printed text that a terminal would obey or that would mislead a reader."""
    return {letter for letter in text if (ord(letter) < 0x20 or 0x7F <= ord(letter) < 0xA0) and letter not in allowed} | {
        letter for letter in text if letter in "\xad\u034f\u115f\u180e\u200b\u202e\u2066\u2028\u3164\uffa0\ufeff"
    }


def strict(text: str) -> Any:
    """Parse strict JSON: no NaN and no infinities."""

    def refuse(word: str) -> Any:
        raise ValueError(word)

    return json.loads(text, parse_constant=refuse, parse_int=float)
