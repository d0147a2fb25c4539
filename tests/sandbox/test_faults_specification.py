"""Faults as text: what is read, and what is said of text that is no fault."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import fields

from registry.sandbox.faults.specification import KINDS, Fault, WrongFault, parse, table


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("incidents:/incidents* 500 x3", {"service": "incidents", "path": "/incidents*", "status": 500, "count": 3}),
        ("payments latency 200ms-2s", {"service": "payments", "pause": 0.2, "longest": 2.0}),
        ("latency 200 ms - 1.5 s", {"pause": 0.2, "longest": 1.5}),
        ("latency 2m", {"pause": 120.0, "longest": 120.0}),
        ("429 bare", {"status": 429, "which": "bare"}),
        ("crm 429 daily", {"service": "crm", "status": 429, "which": "daily"}),
        ("payments:/v1/customers* drop after 100 bytes", {"service": "payments", "path": "/v1/customers*", "size": 100}),
        ("drop after", {}),
        ("delete drop before", {"method": "DELETE", "before": True}),
        ("/v1/* GET cut", {"path": "/v1/*", "method": "GET"}),
        ("cut after 64KB", {"size": 64_000}),
        ("html", {"status": 502}),
        ("HTML 200 x1", {"status": 200, "count": 1}),
        ("files large", {"service": "files", "size": 200_000_000}),
        ("large 1 GB", {"size": 1_000_000_000}),
        ("trickle", {"pause": 0.01}),
        ("  CRM   trickle  0.5s  ", {"service": "crm", "pause": 0.5}),
        ("bomb", {"size": 1_000_000_000}),
        ("crm drip 200ms", {"service": "crm", "pause": 0.2}),
        ("encoding", {"encoding": "utf-16be"}),
        ("nan", {}),
        ("crm echo-credential UTF-16 401 x2", {"service": "crm", "encoding": "utf-16", "status": 401, "count": 2}),
        ("payments DELETE forge 409", {"service": "payments", "method": "DELETE", "status": 409}),
        ("incidents 408 ×2", {"service": "incidents", "status": 408, "count": 2}),
    ],
)
def test_reading(text: str, read: dict[str, Any]) -> None:
    fault = parse(text)
    usual = {field.name: field.default for field in fields(Fault) if field.name not in ("text", "kind")}
    assert {name: getattr(fault, name) for name in usual} == usual | read
    assert parse(fault.text) == fault


def test_the_table_holds_every_kind_and_its_examples_are_faults() -> None:
    text = table()
    for name, kind in KINDS.items():
        assert kind.form in text
        assert kind.example in text
        assert parse(kind.example).kind == name
    assert max(len(line) for line in text.splitlines()) <= 128


@settings(derandomize=True, deadline=None)
@given(st.lists(st.sampled_from([*"a:/*x3", "crm", "GET", "429", "drop", "after", "1", "MB", " ", "s", "-", "é", "\x1b"])))
def test_any_text_is_a_fault_or_told_why_not(parts: list[str]) -> None:
    told = ""
    try:
        told = f"{parse(''.join(parts))}; for example: "
    except WrongFault as error:
        told = str(error)
    assert "; for example: " in told
