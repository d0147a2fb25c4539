"""Parquet holds every value exactly, or as text; without its library it says how to get it."""

import re
import sys
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from registry.files.reasons import how_to_install
from registry.results.formats import ExportOptions, NotExported
from registry.results.saving import save


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
