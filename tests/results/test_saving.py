"""What is saved, byte by byte, and as Parquet; what is never written over; what is masked."""

import csv
import errno
import io
import json
import os
import re
import stat
import sys
import unicodedata
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from registry.accounts.secrets import MASK
from registry.files.folders import how_to_install
from registry.json_text import lay_out
from registry.results.formats import ExportOptions, ExportSource, NotExported, target_of
from registry.results.saving import as_text, save
from tests.hostile import STRINGS, forbidden_in_output

ITEM = b'{"id": "cus_1", "big": 12345678901234567890123, "price": 1.10, "far": 1e400, "a": 1, "a": 2}'
BODY = b'{"data": [' + ITEM + b'], "has_more": false}'
ITEMS = [
    b'{"id":"a","address":{"city":"Bonn","geo":{"lat":1.50}},"tags":["x","y"],"n":null,"ok":true}',
    b'{"id":"b","address":{},"client_secret":"pi_1_secret_2","number":"4242424242424242"}',
    b'{\n "id":"c",\r\n "address":"none", "last":12345678901234567890123}',
]


def saved(source: ExportSource, wish: ExportOptions, folder: Path, name: str = "out") -> bytes:
    return save(source, folder / name, wish, replace=True).path.read_bytes()


def table(text: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text.decode(), newline="")))


def controls_in(text: bytes) -> set[str]:
    """What a terminal would obey. CSV has no escapes, so everything else in it is the value itself."""
    return {letter for letter in text.decode() if unicodedata.category(letter) == "Cc"} - set("\t\r\n")


def test_values_are_exact_and_json_escapes_what_harms(tmp_path: Path) -> None:
    value = "a\xadb\u202ec\u200bd\u3164 e" + "\u0301" * 500 + " 👩‍👧 ❤️ مرحبا"
    item = json.dumps({"t": value, "f": "=1+1", "c": "\x1b[31m\x9b"}, ensure_ascii=False).encode()
    for format_ in ("json", "ndjson"):
        text = saved([item], ExportOptions(format_), tmp_path).decode()
        found = json.loads(text)
        assert (found[0] if format_ == "json" else found) == json.loads(item)
        assert not forbidden_in_output(text.encode())
        assert "👩‍👧 ❤️ مرحبا" in text
    (row,) = table(saved([item], ExportOptions("csv"), tmp_path))
    assert row == {"t": value, "f": "'=1+1", "c": "\\u001b[31m\\u009b"}
    assert as_text([item], ExportOptions("csv"))[0].encode() == saved([item], ExportOptions("csv"), tmp_path)


def test_json_laid_out_keeps_every_token(tmp_path: Path) -> None:
    text = saved(BODY, ExportOptions("json"), tmp_path).decode()
    assert text == lay_out(BODY).decode() + "\n"
    tall = b"[" * 900 + b",".join([b"1"] * 300_000) + b"]" * 900
    with pytest.raises(NotExported, match="nested too deeply"):
        saved(tall, ExportOptions("json"), tmp_path)


def test_lists_as_json_and_as_lines(tmp_path: Path) -> None:
    wish = ExportOptions("json", laid_out=False, masked=False)
    assert saved(ITEMS, wish, tmp_path) == b"[\n" + b",\n".join(ITEMS) + b"\n]\n"
    assert json.loads(saved(ITEMS, ExportOptions("json", masked=False), tmp_path)) == [json.loads(item) for item in ITEMS]
    assert saved([], wish, tmp_path) == b"[]\n"
    lines = saved(ITEMS, ExportOptions("ndjson", masked=False), tmp_path).splitlines()
    assert lines[0] == ITEMS[0]
    assert [json.loads(line) for line in lines] == [json.loads(item) for item in ITEMS]
    assert saved(BODY, ExportOptions("ndjson", items_at="data"), tmp_path) == ITEM + b"\n"
    assert saved(b'{"id":1}', ExportOptions("ndjson"), tmp_path) == b'{"id":1}\n'


def test_csv_with_nested_members_and_exact_numbers(tmp_path: Path) -> None:
    rows = table(saved(ITEMS, ExportOptions("csv", masked=False), tmp_path))
    assert " ".join(rows[0]) == "id address.city address.geo.lat tags n ok address client_secret number last"
    assert rows[0]["address.geo.lat"] == "1.50"
    assert rows[0]["tags"] == '["x","y"]'
    assert (rows[0]["n"], rows[0]["ok"], rows[0]["last"]) == ("", "true", "")
    assert (rows[1]["address"], rows[2]["address"]) == ("{}", "none")
    assert rows[2]["last"] == "12345678901234567890123"
    assert table(saved(BODY, ExportOptions("csv", items_at="data"), tmp_path)) == [
        {"id": "cus_1", "big": "12345678901234567890123", "price": "1.10", "far": "1e400", "a": "2"}
    ]


@pytest.mark.parametrize("begin", ["=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(1)", "\t=1", "\n=1", "＝1+1"])
def test_no_cell_is_a_formula(begin: str, tmp_path: Path) -> None:
    item = json.dumps({begin: begin, "n": -5, "s": "-5.25"}).encode()
    rows = table(saved([item], ExportOptions("csv"), tmp_path))
    name, cell = next(iter(rows[0].items()))
    assert name.startswith("\\" if begin[0].isspace() else "'")
    assert cell == f"'{begin}"
    assert list(rows[0].values())[1:] == ["-5", "-5.25"]


def test_hostile_text_stays_in_its_cell(tmp_path: Path) -> None:
    items = [json.dumps({"t": text, f"k{place}{text[:50]}": 1}).encode() for place, text in enumerate(STRINGS)]
    text = saved(items, ExportOptions("csv"), tmp_path)
    assert not controls_in(text)
    rows = table(text)
    assert len(rows) == len(items)
    assert {len(row) for row in rows} == {len(items) + 1}
    copied, _ = as_text(items, ExportOptions("json"))
    assert not forbidden_in_output(copied.encode())
    assert json.loads(copied) == [json.loads(item) for item in items]
    raw = [json.dumps({"t": text}, ensure_ascii=False).encode("utf-8", "surrogatepass") for text in STRINGS]
    for format_ in ("json", "ndjson"):
        assert not forbidden_in_output(as_text(raw, ExportOptions(format_))[0].encode())
    assert not controls_in(as_text(raw, ExportOptions("csv"))[0].encode())


def test_what_opens_doors_is_masked_and_counted(tmp_path: Path) -> None:
    for format_ in ("json", "ndjson", "csv", "parquet"):
        for laid_out in (True, False):
            account = save(ITEMS, tmp_path / "m", ExportOptions(format_, laid_out), replace=True)
            content = account.path.read_bytes()
            assert account.masked == 2, format_
            assert b"secret_2" not in content
            assert b"4242424242424242" not in content
            assert MASK.encode() in content
            assert account.items == 3
    account = save(ITEMS, tmp_path / "m", ExportOptions("csv", columns=[("id",)]), replace=True)
    assert account.masked == 0
    account = save(ITEMS, tmp_path / "m", ExportOptions("csv", masked=False), replace=True)
    assert (account.masked, b"secret_2" in account.path.read_bytes()) == (0, True)


def test_nothing_is_written_over_unless_that_is_wanted(tmp_path: Path) -> None:
    target = tmp_path / "x"
    target.write_text("mine")
    with pytest.raises(NotExported, match="already exists") as refusal:
        save(BODY, target, ExportOptions())
    assert refusal.value.concern == "taken"
    assert target.read_text() == "mine"
    assert save(BODY, target, ExportOptions(), replace=True).size == target.stat().st_size > 4
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.parametrize(
    ("code", "words"), [(errno.ENOSPC, "No space left"), (errno.EACCES, "No permission to write"), (errno.EIO, "Cannot write")]
)
def test_a_disk_that_refuses(code: int, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(NotExported, match=words) as refusal:
        save(BODY, tmp_path / "x", ExportOptions())
    assert refusal.value.concern == "path"
    assert list(tmp_path.iterdir()) == []


def test_paths_as_people_type_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("")
    (tmp_path / "link").symlink_to("file")
    (tmp_path / "loop").symlink_to("loop")
    os.mkfifo(tmp_path / "pipe")
    assert target_of("~/a.json", Path("/")) == tmp_path / "a.json"
    assert target_of(" b ", tmp_path / "folder") == tmp_path / "folder" / "b"
    assert target_of("../c", tmp_path / "folder") == tmp_path / "c"
    assert target_of("link", tmp_path, replace=True) == tmp_path / "file"
    (tmp_path / "file-2").write_text("")
    with pytest.raises(NotExported) as refusal:
        target_of("file", tmp_path)
    assert refusal.value.next_step == "file-3 is free; or allow overwriting."
    for text, words in {
        "": "No file name",
        "folder": "is a folder",
        "/": "is a folder",
        "new/": "is a folder",
        "nowhere/x": "No such folder",
        "file/x": "No such folder",
        "file": "already exists",
        "pipe": "is not a regular file",
        "a\0b": "not a valid path",
        "~nobody-of-this-name/x": "nobody-of-this-name",
        "loop": "loop",
        "x" * 400: "too long",
    }.items():
        with pytest.raises(NotExported, match=words):
            target_of(text, tmp_path)
    with pytest.raises(NotExported, match=r"\\u001b"):
        target_of("\x1b[31m/x", tmp_path)


def test_what_cannot_be_copied() -> None:
    with pytest.raises(NotExported, match="binary format"):
        as_text(BODY, ExportOptions("parquet"))
    with pytest.raises(NotExported, match="Too long"):
        as_text([b'"' + b"x" * 100_000 + b'"'] * 200, ExportOptions("ndjson"))
    with pytest.raises(NotExported, match="cannot be laid out"):
        as_text(b"nothing", ExportOptions("json"))


def read(items: list[bytes], folder: Path, wish: ExportOptions = ExportOptions("parquet")) -> Any:  # noqa: B008  (frozen)
    parquet = pytest.importorskip("pyarrow.parquet")
    return parquet.read_table(save(items, folder / "x.parquet", wish, replace=True).path)


@pytest.mark.parametrize(
    ("values", "kind", "held"),
    [
        (["1", "-2", "null"], "int64", [1, -2, None]),
        (["9223372036854775807", "-9223372036854775808"], "int64", [2**63 - 1, -(2**63)]),
        (["1", "9223372036854775808"], "decimal128(38, 0)", [1, 2**63]),
        (["1.5", "2"], "decimal128(38, 1)", [Decimal("1.5"), 2]),
        (["1.10", "0.1"], "decimal128(38, 2)", [Decimal("1.1"), Decimal("0.1")]),
        (["1e400"], "string", ["1e400"]),
        (["1" * 5_000], "string", ["1" * 5_000]),
        (["true", "false", "null"], "bool", [True, False, None]),
        (["true", "1"], "string", ["true", "1"]),
        (['"a\\u001b"', "null"], "string", ["a\x1b", None]),
        (['"a"', "1", "[1, 2.50]"], "string", ["a", "1", "[1, 2.50]"]),
        (["null"], "string", [None]),
    ],
)
def test_types_come_from_the_data(values: list[str], kind: str, held: list[Any], tmp_path: Path) -> None:
    column = read([b'{"v":%s}' % value.encode() for value in values], tmp_path).column("v")
    assert str(column.type) == kind
    assert column.to_pylist() == held


def test_an_item_that_cannot_be_taken_apart_is_kept_whole(tmp_path: Path) -> None:
    found = read([b'{"v":"a"}', b'{"v":"\\ud800"}'], tmp_path)
    assert found.to_pylist() == [{"v": "a", "value": None}, {"v": None, "value": '{"v":"\\ud800"}'}]


def test_without_the_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(NotExported, match=re.escape(how_to_install("engines"))) as refusal:
        save([b"1"], tmp_path / "x", ExportOptions("parquet"))
    assert refusal.value.concern == "format"
    assert list(tmp_path.iterdir()) == []
