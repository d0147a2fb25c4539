"""Documents made at random are shown, searched and copied without a wrong byte, and nothing that a terminal obeys is drawn."""

import json
import unicodedata
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.style import Style

from registry.json_text import in_one_line
from tests.hostile import STRINGS
from tests.sampled import examples
from tui.json_view.document import Document, Step, copied
from tui.json_view.find_line import TextSearch, hits
from tui.json_view.view import JsonView

SETTINGS = examples(30, 60, derandomize=True, deadline=None)
THOROUGH = examples(50, 150, derandomize=True, deadline=None)

LETTERS = st.characters(codec=None) | st.sampled_from(
    '\u202e\x7f\x9b\u200b\ufeff\udc80\ud800\U000e0041éÉßıſK😀\u0301/\\"<&\t\0'
)
TEXTS = st.text(LETTERS, max_size=12) | st.sampled_from([text[:40] for text in STRINGS])
NUMBERS = st.from_regex(r"-?(0|[1-9][0-9]{0,30})(\.[0-9]{1,20})?([eE][+-]?[0-9]{1,4})?", fullmatch=True).filter(str.isascii)
SPACE = st.sampled_from(["", "", "", " ", "\n", "\t\r\n  "])
DIRECTIONS = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
UNSAFE = {"\u200b", "\u200e", "\u200f", "\u061c", "\ufeff", "\u2060", "\U000e0041"}


class Pairs(list[tuple[str, Any]]):
    """An object's members as they came: names may occur twice."""


class Number(str):
    """A number's digits as they came."""


@st.composite
def strings(draw: st.DrawFn) -> bytes:
    """A string's token: letters as they are or escaped, and now and then bytes that are no UTF-8."""
    text = draw(TEXTS)
    way = draw(st.sampled_from(["escaped", "spelled", "slashes", "bytes"]))
    if way == "escaped":
        return json.dumps(text).encode()
    token = json.dumps(text, ensure_ascii=False).encode("utf-8", "surrogatepass")
    if way == "slashes":
        return token.replace(b"/", b"\\/")
    if way == "bytes":
        return b'"' + draw(st.sampled_from([b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xf0\x9f\x98"])) + token[1:]
    return token


SCALARS = strings() | NUMBERS.map(str.encode) | st.sampled_from([b"true", b"false", b"null"])
NAMES = strings() | st.sampled_from([b'"a"', b'"secret"', b'"number"'])


def _branch(inner: st.SearchStrategy[bytes]) -> st.SearchStrategy[bytes]:
    lists = st.tuples(st.lists(inner, max_size=6), SPACE).map(lambda made: _joined("[", made[0], "]", made[1]))
    members = st.tuples(NAMES, inner).map(lambda made: made[0] + b" :" + made[1])
    return lists | st.tuples(st.lists(members, max_size=6), SPACE).map(lambda made: _joined("{", made[0], "}", made[1]))


BODIES = st.recursive(SCALARS, _branch, max_leaves=25)
"""Made once: Hypothesis looks through a strategy when it is used for the first time."""


@st.composite
def documents(draw: st.DrawFn) -> bytes:
    """A JSON text with odd white space, and perhaps a byte order mark."""
    body = draw(BODIES)
    return draw(st.sampled_from([b"", b"\xef\xbb\xbf"])) + draw(SPACE).encode() + body + draw(SPACE).encode()


def _joined(opening: str, parts: list[bytes], closing: str, space: str) -> bytes:
    between = space.encode()
    return opening.encode() + between + (b"," + between).join(part + between for part in parts) + closing.encode()


def spelled(body: bytes) -> str:
    return body.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "surrogateescape")


def parsed(text: str) -> Any:
    """What the standard library reads, numbers as digits and objects as pairs."""
    return json.loads(text, object_pairs_hook=Pairs, parse_int=Number, parse_float=Number)


def at(value: Any, path: list[Step]) -> list[Any]:
    """All values that a path leads to: several where a name occurs twice."""
    found = [value]
    for step in path:
        if isinstance(step, int):
            found = [one[step] for one in found if type(one) is list and step < len(one)]
        else:
            name = json.loads(step)
            found = [inside for one in found if isinstance(one, Pairs) for key, inside in one if key == name]
    return found


class Unstyled(JsonView):
    """The view as it draws, outside of an application."""

    def style(self, name: str) -> Style:
        return Style.null()

    def lines_replaced(self) -> None:
        return

    def lines_changed(self, *, cursor: int | None = None) -> None:
        return

    def scroll_home(self, *words: Any, **names: Any) -> None:
        return

    def cursor_moved(self) -> None:
        return


def drawn(document: Document, width: int) -> list[str]:
    view = Unstyled()
    view.show(document)
    return ["".join(segment.text for segment in view.draw(line, width)) for line in range(view.line_count)]


def assert_harmless(lines: list[str], width: int) -> None:
    for line in lines:
        assert cell_len(line) <= width
        for letter in line:
            assert unicodedata.category(letter) not in ("Cc", "Cs", "Zl", "Zp"), repr(line)
            assert unicodedata.bidirectional(letter) not in DIRECTIONS, repr(line)
            assert letter not in UNSAFE, repr(line)


@SETTINGS
@given(documents())
def test_every_row_is_what_came(body: bytes) -> None:
    document = Document(body)
    rows, whole = document.rows, parsed(spelled(body))
    assert in_one_line(bytes(rows.text)) == in_one_line(body)
    for number in range(len(rows)):
        if document.closes(number):
            continue
        values = at(whole, document.path(number))
        assert parsed(rows.value(number).decode("utf-8", "surrogateescape")) in values
        assert parsed(copied(document, number, "json")) in values
        row = rows.row(number)
        assert row.cut == 0
        if not document.opens(number):
            assert parsed(row.value) in values


@SETTINGS
@given(documents(), st.sampled_from([1, 7, 40, 10_000]))
def test_nothing_that_a_terminal_obeys_is_drawn_or_copied(body: bytes, width: int) -> None:
    document = Document(body)
    assert_harmless(drawn(document, width), width)
    for depth in (0, 1, 2):
        document.folds.fold_to(depth)
        assert_harmless(drawn(document, width), width)
    for number in range(len(document.rows)):
        for what in ("value", "path", "query", "json", "csv"):
            text = copied(document, number, what)
            lines = [line.replace("\t", " ").replace("\r", " ") for line in text.split("\n")]
            if what == "json":
                assert_harmless(lines, 1_000_000)
            # What is no JSON has no escapes: letters that only change how others look are copied as they are.
            assert not any(unicodedata.category(letter) in ("Cc", "Cs") for line in lines for letter in line), repr(text)


@THOROUGH
@given(documents(), st.data())
def test_what_is_found_is_what_stands_there(body: bytes, data: st.DataObject) -> None:
    rows = Document(body).rows
    values = [rows.row(number).value for number in range(len(rows))]
    read = [json.loads(value) if value.startswith('"') else value for value in values]
    source = data.draw(st.sampled_from(read))
    start = data.draw(st.integers(0, max(len(source) - 1, 0)))
    wanted = source[start : start + data.draw(st.integers(1, 6))]
    if not wanted:
        return
    assert {number for number, text in enumerate(read) if wanted in text} <= set(hits(rows, TextSearch(wanted)))


@pytest.mark.parametrize("depth", [200, 900])
def test_deep_documents(depth: int) -> None:
    body = b'[ {"a\xff" :\n' * (depth // 2) + b'"\\u001b[31m\\ud800"' + b"}\t]" * (depth // 2)
    document = Document(body)
    rows = document.rows
    assert in_one_line(bytes(rows.text)) == in_one_line(body)
    assert document.path(depth) == [0, '"a\udcff"'] * (depth // 2)
    assert rows.value(depth) == b'"\\u001b[31m\\ud800"'
    assert hits(rows, TextSearch("[31M".lower())) == [depth]
    assert_harmless(drawn(document, 80), 80)
    assert_harmless(drawn(document, 20_000)[::100], 20_000)
    document.folds.fold_to(depth - 2)
    assert_harmless(drawn(document, 20_000)[::100], 20_000)


def test_wide_documents_and_huge_strings() -> None:
    long = "東\u202e" * 30_000
    body = json.dumps([*range(5_000), {"long": long}], ensure_ascii=False).encode()
    document = Document(body)
    assert parsed(copied(document, 5_002, "json")) == long
    assert json.loads(document.rows.value(0)) == json.loads(body)
    assert hits(document.rows, TextSearch("東\u202e")) == [5_002]
    lines = drawn(document, 60)
    assert_harmless(lines[-100:], 60)
    assert lines[1_001].strip() == "1000"


def test_halves_of_surrogate_pairs_in_large_documents() -> None:
    inside = rb'"\\ud800 \ue83d \uE001 \ud800 \uDC00 \udc00\ud83d"'
    rows = Document(b'[%b, "%b", %b]' % (inside, b"x" * 9_000_000, inside)).rows
    assert rows.value(1) == rows.value(3) == inside
    assert len(rows.value(2)) == 9_000_002
