"""The gate for what services send: one character set, strict JSON, every spelling of a secret."""

from __future__ import annotations

import base64
import html
import json
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import httpx
import pytest

from registry.accounts import spelling
from registry.accounts.connection import connections
from registry.accounts.spelling import Spelling
from registry.calling.charset import decoded
from registry.calling.json_text import decode
from registry.calling.receiving import receive
from registry.calling.result import Result
from registry.calling.sensitive import is_sensitive, mask
from registry.calling.strict_json import NotJson, loads, loads_noting
from tests.calling.network import TOOLS, ScriptedNetwork
from tests.opened import opened

SECRETS = ["sk_live_51HabcDEF", "p&ss/\"w\\o'rd <x>", "pässwörd東京😀x", "Basic QWxh==+/"]
KEY = "sk_live_MARKED0123456789"
CLIENT_SECRET = "pi_1_secret_MARKED9876"


def hide(text: bytes) -> bytes:
    return Spelling(KEY).replaced(text, b"*")


async def answered(response: httpx.Response, tmp_path: Path) -> Result:
    """What comes of reading one payment intent by its client secret, from a service that answers this."""
    async with opened(ScriptedNetwork(lambda _: response), folder=tmp_path) as engine:
        there = connections({"PAYMENTS_API_KEY": KEY})["payments"]
        raw = {"payment_intent_id": "pi_1", "payment_intent_client_secret": CLIENT_SECRET}
        return await engine.run(TOOLS["RetrievePaymentIntentDetails"], raw, there)


@pytest.mark.parametrize("charset", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be"])
def test_unicode_is_read_once_and_is_utf_8_from_then_on(charset: str) -> None:
    text = '{"a":"é 東京 \\ud800"}'
    assert decoded(text.encode(charset), "application/json") == (text.encode(), "")
    name = "utf-8" if charset == "utf-8-sig" else charset
    assert decoded(text.encode(charset), f'application/json; charset="{name.upper()}"') == (text.encode(), "")


def test_what_is_declared_holds() -> None:
    assert decoded(b'"\xe9\x80"', "text/plain;charset=ISO-8859-1")[0] == '"é\x80"'.encode()
    assert decoded(b'"\x80"', "application/json; Charset=windows-1252") == ('"€"'.encode(), "")
    assert decoded("{}".encode("utf-16-be"), "application/json; charset=utf-8") == (b"\0{\0}", "")
    for charset in ("utf-7", "ebcdic-cp-us", "shift_jis", "none", "rot13", "idna", "base64", "unicode_escape", "\x9b"):
        assert decoded(b'{"a": 1}', f"application/json; charset={charset}")[0] == b""
        assert "is not read" in decoded(b'{"a": 1}', f"application/json; charset={charset}")[1]
    assert "begins as UTF-16 LE" in decoded("{}".encode("utf-16"), "application/json; charset=utf-8")[1]


def test_bytes_of_no_character_set_are_told_with_their_place() -> None:
    text, problem = decoded(b'{"a":"\xff"}', "application/json")
    assert (text.decode(), problem) == ('{"a":"\ufffd"}', "it is not UTF-8: byte 0xff at 6")
    assert decoded(b'{"a":"\xed\xa0\x80"}', "")[1].startswith("it is not UTF-8: byte 0xed")
    assert decoded(b'{"a":"\xc0\xaf"}', "")[1].startswith("it is not UTF-8")
    assert decoded("{}".encode("utf-16") + b"\0", "")[1].startswith("it is not UTF-16")


@pytest.mark.parametrize("before", range(4))
def test_a_large_text_is_read_part_by_part_and_letters_between_parts_are_whole(before: int) -> None:
    body = b" " * before + "é€😀".encode() * (1 << 18)
    assert decoded(body, "") == (body, "")
    assert decoded(body[:-1], "")[1] == f"it is not UTF-8: byte 0xf0 at {len(body) - 4:,}"
    assert decoded(body + b"\xff", "")[1] == f"it is not UTF-8: byte 0xff at {len(body):,}"


def test_null_characters_hide_nothing() -> None:
    body = "\0".join(f'{{"t":"{KEY}","client_secret":"MARKED2"}}').encode()
    came = receive(200, {"content-type": "application/json; charset=utf-8"}, body, hide)
    assert came.body == b'{"t":"*","client_secret":"MARKED2"}'
    assert came.unreadable


@pytest.mark.parametrize("word", ["NaN", "Infinity", "-Infinity"])
async def test_python_s_constants_are_named_and_kept(word: str, tmp_path: Path) -> None:
    body = f'{{"client_secret":"MARKEDsecret",\n "x":{word}}}'.encode()
    with pytest.raises(NotJson, match=rf"^{word} is not valid JSON \(line 2, column 6\)"):
        loads(body)
    result = await answered(httpx.Response(200, content=body, headers={"content-type": "application/json"}), tmp_path)
    assert result.failure is not None
    assert f"{word} is not valid JSON" in result.failure.cause
    assert result.body == body
    from tui.json_view.document import Document

    document = Document.of(result.body)
    assert [document.rows.row(row, 50).value for row in range(len(document.rows))][2] == word


async def test_unusual_json_is_named_and_kept(tmp_path: Path) -> None:
    body = b'{"a":1,"a":1.10,"b":"\\ud800","n":' + b"9" * 5_000 + b"}"
    result = await answered(httpx.Response(200, content=body), tmp_path)
    assert result.ok
    assert result.body == body
    assert ['"a" twice' in result.unusual[0], "\\ud800" in result.unusual[1]] == [True, True]
    large = await answered(httpx.Response(200, content=b'{"t":"' + b"x" * 300_000 + b'","b":"\\udc00"}'), tmp_path)
    assert "\\udc00" in large.unusual[0]


@pytest.mark.parametrize("text", ['"\\ud83d\\ude00"', '"\\\\ud800"', '"\\\\\\\\ud800"', "{}"])
def test_whole_pairs_and_escaped_backslashes_are_not_halves(text: str) -> None:
    assert loads_noting(text.encode())[1] == ()


@pytest.mark.parametrize("text", ['"\\ud800\\ud800"', '"\\ude00\\ud83d"', '"\\ud800x\\udc00"', '"\\\\\\udfff"'])
def test_halves_are_found(text: str) -> None:
    assert len(loads_noting(text.encode())[1]) == 1


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[1,]", b"'x'", b'"a\nb"', b"\xff", b"[" * 100_000, b'{"a":1}{"b":2}', b"01", b"\xc3"]
)
def test_what_is_no_json_has_one_error(body: bytes) -> None:
    with pytest.raises(NotJson):
        loads(body)


@pytest.mark.parametrize("secret", SECRETS)
def test_a_secret_is_found_however_it_is_written(secret: str) -> None:
    units = memoryview(secret.encode("utf-16-le")).cast("H")
    escaped = "".join(f"\\u{unit:04x}" for unit in units)
    written = [
        secret,
        json.dumps(secret),
        json.dumps(secret, ensure_ascii=False),
        json.dumps(json.dumps(secret)),
        escaped,
        escaped.upper().replace("\\U", "\\u"),
        json.dumps(escaped),
        quote(secret),
        quote(quote(secret)),
        "".join(f"%{byte:02X}" for byte in secret.encode()),
        html.escape(secret),
        "".join(f"&#{ord(letter)};" for letter in secret),
        "".join(f"&#x{ord(letter):x};" for letter in secret),
        secret.encode().hex(),
        secret.encode().hex().upper(),
        "\0".join(secret),
        "\\u0000".join(secret),
        secret.encode().hex(" "),
        secret.encode().hex(":").upper(),
        ", ".join(f"0x{byte:02x}" for byte in secret.encode()),
        ",".join(str(byte) for byte in secret.encode()),
        "".join(f"={byte:02X}" for byte in secret.encode()),
        "".join(f"\\u{{{ord(letter):x}}}" for letter in secret),
        "\u200b".join(secret),
        "\xad".join(secret),
        "\ufeff\u2060".join(secret),
        base64.b64encode(base64.b64encode(secret.encode())).decode(),
        *(base64.b64encode(b"u" * before + secret.encode("utf-16-le")).decode() for before in range(3)),
        *(base64.b64encode(b"u" * before + secret.encode() + b"zz").decode() for before in range(4)),
    ]
    for text in written:
        shown = Spelling(secret).replaced(f'{{"a":"{text}"}}'.encode(), b"*").decode()
        assert "*" in shown, text
        assert len(shown) < 22, (text, shown)


CASES = [str.upper, str.lower, str.swapcase, str.title]


@pytest.mark.parametrize(
    "secret", ["sk_live_51HabcDEF", "Pässwört1 of <x>", "correct horse battery staple", "CorrectHorse", "open-sesame"]
)
@pytest.mark.parametrize("case", CASES)
def test_a_secret_is_found_in_other_letter_cases(secret: str, case: Callable[[str], str]) -> None:
    told = case(secret)
    escaped = "".join(f"\\u{ord(letter):04x}" for letter in told)
    written = [told, json.dumps(told)[1:-1], escaped, quote(told), html.escape(told), "\\u0000".join(told), "\u200b".join(told)]
    if case in (str.upper, str.lower):
        one_by_one = told.encode()
        written += [one_by_one.hex(), one_by_one.hex(" "), ",".join(map(str, one_by_one))]
        written += [base64.b64encode(b"u" * before + one_by_one + b"zz").decode() for before in range(3)]
    for text in written:
        assert len(Spelling(secret).replaced(f'{{"a":"{text}"}}'.encode(), b"*")) < 20, text
    for length in range(8, len(told)):
        shown = Spelling(secret).replaced(b'{"told":"' + told[:length].encode(), b"*")
        assert shown == b'{"told":"*', told[:length]


def test_words_stay_that_a_secret_is_in_another_letter_case() -> None:
    text = b'{"a":"Keep the SANDBOXES open","b":"Sandboxes"}'
    assert Spelling("sandboxes").replaced(text, b"*") == text
    assert Spelling("Sandboxes").replaced(text, b"*") == text.replace(b"Sandboxes", b"*")
    assert Spelling("sandboxes1").replaced(text, b"*") == text


def test_letter_cases_are_looked_for_across_steps() -> None:
    told = KEY.upper().encode()
    for before in (spelling._STEP - len(told), spelling._STEP - 5, spelling._STEP, 2 * spelling._STEP - 1):
        text = b"x" * before + told + b"," + told + told + b"y" * 10
        assert Spelling(KEY).replaced(text, b"*") == b"x" * before + b"*,**" + b"y" * 10


def test_a_mixed_spelling_and_a_secret_that_breaks_off() -> None:
    key = Spelling(KEY)
    assert key.replaced(b'"\\u0073k%5flive&#95;MARKED01\\x32\\\\u0033456789"', b"*") == b'"*"'
    for length in range(8, len(KEY)):
        assert key.replaced(b'{"told":"' + KEY[:length].encode(), b"*") == b'{"told":"*'
        assert key.replaced(b'{"told":"\\u0073' + KEY[1:length].encode(), b"*") == b'{"told":"*'
    assert key.replaced(f'{{"told":"{KEY[:12]}\ufffd'.encode(), b"*") == '{"told":"*\ufffd'.encode()
    assert key.replaced(b"sk_live_other", b"*") == b"sk_live_other"


@pytest.mark.parametrize(
    "told",
    [CLIENT_SECRET, KEY, KEY.upper(), CLIENT_SECRET.swapcase(), "".join(f"\\u{ord(letter):04x}" for letter in CLIENT_SECRET)],
)
@pytest.mark.parametrize("status", [200, 404])
@pytest.mark.parametrize("charset", ["utf-8", "utf-16-be", "utf-32"])
async def test_what_was_sent_is_told_nowhere(told: str, status: int, charset: str, tmp_path: Path) -> None:
    body = f'{{"id":"pi_1","told":"{told}","error":{{"message":"no {told}"}}}}'.encode(charset)
    result = await answered(httpx.Response(status, content=body, headers={"X-Told": told, f"x-{KEY}": "1"}), tmp_path)
    assert result.json["id"] == "pi_1"
    everything = f"{result.body.decode()} {result.failure} {result.headers} {result.exchanges} {result.json}"
    assert "marked" not in everything.lower()
    assert "\\u0050" not in everything


@pytest.mark.parametrize("told", [KEY, base64.b64encode(f"{KEY}:".encode()).decode(), "x" * 30 + KEY])
async def test_what_was_sent_is_no_character_set(told: str, tmp_path: Path) -> None:
    headers = {"Content-Type": f"application/json; charset={told}"}
    result = await answered(httpx.Response(200, content=b"{}", headers=headers), tmp_path)
    assert result.failure is not None
    assert "is not read" in result.failure.cause
    assert told[:38] not in f"{result.failure} {result.headers}"
    assert "sk_live_5" not in f"{result.failure} {result.headers}"


def test_usual_escapes_do_not_call_for_the_long_way() -> None:
    text = b'{"name":"Zo\\u00eb","url":"https://x.example/?a=%2Fb%20c%3A","t":"a &amp; b &lt; \\n \\" \\u003d"}'
    assert not any(escape.search(text) for escape in Spelling(KEY)._escapes)


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


def test_many_quotes_and_backslashes_take_no_time_to_speak_of() -> None:
    for text in (
        b'"' * 200_000,
        b"\\" * 200_000 + b'\\"',
        b'\\"secret\\":\\"' * 20_000,
        b'{"secret":' * 20_000,
        b"%25" * 60_000,
    ):
        mask(text)
        Spelling(KEY).replaced(text + b"\\u0073", b"*")


def test_text_of_a_file_keeps_its_bytes() -> None:
    body = b"%PDF-1.7 \0\xff " + KEY.encode()
    came = receive(200, {"content-type": "application/pdf"}, body, hide, is_file=True)
    assert came.body == b"%PDF-1.7 \0\xff *"
    assert decode(b"{}") == "{}"


@pytest.mark.parametrize("escape", ["%{:02x}", "%25{:02X}", "\\u{:04x}", "\\x{:02x}", "&#{};", "&#x{:x};", "={:02X}"])
def test_a_secret_that_breaks_off_within_an_escape_is_hidden(escape: str) -> None:
    secret = "pi_1_secret_MARKEDargument77"
    spelled = [escape.format(ord(letter)) for letter in secret]
    begun = len("".join(spelled[:8]))
    for stop in range(begun, len("".join(spelled)) + 1):
        text = ('{"a":"' + "".join(spelled)[:stop]).encode()
        assert Spelling(secret).replaced(text, b"*") == b'{"a":"*'
