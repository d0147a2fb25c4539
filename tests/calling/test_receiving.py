"""The gate for what services send: one character set, strict JSON, no secret."""

import json
from pathlib import Path

import httpx
import pytest

from registry.accounts.connection import connections
from registry.calling.receiving import is_sensitive, mask, receive
from registry.calling.result import Result
from registry.json_text import NotJson, as_text, read_json
from tests.calling.network import TOOLS, ScriptedNetwork
from tests.opened import opened

KEY = "sk_live_MARKED0123456789"
CLIENT_SECRET = "pi_1_secret_MARKED9876"


def hide(text: bytes) -> bytes:
    return text.replace(KEY.encode(), b"*")


def decoded(body: bytes, content_type: str) -> tuple[bytes, str]:
    came = receive(200, {"content-type": content_type}, body, hide)
    return came.body, came.unreadable


async def answered(response: httpx.Response, tmp_path: Path) -> Result:
    """What comes of reading one payment intent by its client secret, from a service that answers this."""
    async with opened(ScriptedNetwork(lambda _: response), folder=tmp_path) as engine:
        there = connections({"PAYMENTS_API_KEY": KEY})["payments"]
        raw = {"payment_intent_id": "pi_1", "payment_intent_client_secret": CLIENT_SECRET}
        return await engine.run(TOOLS["RetrievePaymentIntentDetails"], raw, there)


@pytest.mark.parametrize("charset", ["utf-8-sig", "utf-16", "utf-16-le", "utf-32-be"])
def test_unicode_is_read_once_and_is_utf_8_from_then_on(charset: str) -> None:
    text = '{"a":"é 東京 \\ud800"}'
    name = "utf-8" if charset == "utf-8-sig" else charset
    assert decoded(text.encode(charset), f'application/json; charset="{name.upper()}"') == (text.encode(), "")


def test_what_is_declared_holds() -> None:
    assert decoded(b'"\xe9\x80"', "text/plain;charset=ISO-8859-1")[0] == '"é\x80"'.encode()
    assert decoded(b'"\x80"', "application/json; Charset=windows-1252") == ('"€"'.encode(), "")
    assert decoded("{}".encode("utf-16-be"), "application/json; charset=utf-8")[0] == b"{}"
    for charset in ("utf-7", "ebcdic-cp-us", "shift_jis", "none", "rot13", "idna", "base64", "unicode_escape", "\x9b"):
        assert decoded(b'{"a": 1}', f"application/json; charset={charset}")[0] == b""
        assert "is not read" in decoded(b'{"a": 1}', f"application/json; charset={charset}")[1]


def test_bytes_of_no_character_set_are_told_with_their_place() -> None:
    text, problem = decoded(b'{"a":"\xff"}', "application/json")
    assert (text.decode(), problem) == ('{"a":"\ufffd"}', "it is not UTF-8: byte 0xff at 6")
    assert decoded(b'{"a":"\xed\xa0\x80"}', "")[1].startswith("it is not UTF-8: byte 0xed")
    assert decoded(b'{"a":"\xc0\xaf"}', "")[1].startswith("it is not UTF-8")
    assert decoded("{}".encode("utf-16") + b"\0", "")[1] == "it is not UTF-8: byte 0xff at 0"
    body = "é€😀".encode() * 999
    assert decoded(body[:-1], "")[1] == f"it is not UTF-8: byte 0xf0 at {len(body) - 4:,}"


@pytest.mark.parametrize("word", ["NaN", "Infinity", "-Infinity"])
async def test_python_s_constants_are_named_and_kept(word: str, tmp_path: Path) -> None:
    body = f'{{"client_secret":"MARKEDsecret",\n "x":{word}}}'.encode()
    with pytest.raises(NotJson, match=rf"^{word} is not valid JSON"):
        read_json(body)
    result = await answered(httpx.Response(200, content=body, headers={"content-type": "application/json"}), tmp_path)
    assert result.failure is not None
    assert f"{word} is not valid JSON" in result.failure.cause
    assert result.body == body


async def test_unusual_json_is_kept(tmp_path: Path) -> None:
    body = b'{"a":1,"a":1.10,"b":"\\ud800","n":' + b"9" * 5_000 + b"}"
    result = await answered(httpx.Response(200, content=body), tmp_path)
    assert result.ok
    assert result.body == body
    large = await answered(httpx.Response(200, content=b'{"t":"' + b"x" * 300_000 + b'","b":"\\udc00"}'), tmp_path)
    assert large.ok


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[1,]", b"'x'", b'"a\nb"', b"\xff", b"[" * 100_000, b'{"a":1}{"b":2}', b"01", b"\xc3"]
)
def test_what_is_no_json_has_one_error(body: bytes) -> None:
    with pytest.raises(NotJson):
        read_json(body)


@pytest.mark.parametrize("told", [CLIENT_SECRET, KEY])
@pytest.mark.parametrize(("status", "charset"), [(200, "utf-8"), (404, "utf-16-be")])
async def test_what_was_sent_is_told_nowhere(told: str, status: int, charset: str, tmp_path: Path) -> None:
    body = f'{{"id":"pi_1","told":"{told}","error":{{"message":"no {told}"}}}}'.encode(charset)
    headers = {"X-Told": told, f"x-{KEY}": "1", "Content-Type": f"application/json; charset={charset}"}
    result = await answered(httpx.Response(status, content=body, headers=headers), tmp_path)
    assert result.json["id"] == "pi_1"
    everything = f"{result.body.decode()} {result.failure} {result.headers} {result.exchanges} {result.json}"
    assert "MARKED" not in everything


async def test_what_was_sent_is_no_character_set(tmp_path: Path) -> None:
    headers = {"Content-Type": f"application/json; charset={KEY}"}
    result = await answered(httpx.Response(200, content=b"{}", headers=headers), tmp_path)
    assert result.failure is not None
    assert "is not read" in result.failure.cause
    assert "MARKED" not in f"{result.failure} {result.headers}"


def test_names_and_values_that_open_doors_are_masked_however_they_are_spelled() -> None:
    for name in ("client_secret", "client\\u005fsecret", "\\u0063lient_secre\\u0074"):
        assert b"MARKED" not in mask(f'{{"{name}" : "MARKED","x":NaN}}'.encode())[0]
        assert is_sensitive(f'"{name}"', '"MARKED"')
    assert mask(b'{"number":"424242424242\\u0034242"}')[1] == 1
    assert is_sensitive('"number"', '"424242424242\\u0034242"')
    for cut in (b'{"secret":"MARKED', b'{"secret":"MARKED\\'):
        assert b"MARKED" not in mask(cut)[0]
    inner = json.dumps({"secret": 'MARK"ED', "b": 1})
    for text in (json.dumps({"log": inner}), json.dumps({"log": json.dumps([inner])})):
        masked = mask(text.encode())[0]
        assert b"ED" not in masked
        assert json.loads(masked)
        assert is_sensitive('"log"', json.dumps(inner))
    assert mask(b'{"a":"\\"secret\\": is a word"}')[1] == 0


def test_text_of_a_file_keeps_its_bytes() -> None:
    body = b"%PDF-1.7 \0\xff " + KEY.encode()
    came = receive(200, {"content-type": "application/pdf"}, body, hide, is_file=True)
    assert came.body == b"%PDF-1.7 \0\xff *"
    assert as_text(b"{}") == "{}"
