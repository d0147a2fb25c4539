"""Faults as text: what is read, and what is said of text that is no fault."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from registry.sandbox.error_responses import error_responses
from registry.sandbox.faults.specification import KINDS, STATUSES, Fault, WrongFault, parse, table
from registry.sandbox.world import World


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("incidents:/incidents* 500 x3", {"service": "incidents", "path": "/incidents*", "status": 500, "count": 3}),
        ("payments latency 200ms-2s", {"service": "payments", "pause": 0.2, "longest": 2.0}),
        ("latency 200 ms - 1.5 s", {"pause": 0.2, "longest": 1.5}),
        ("latency 2m", {"pause": 120.0, "longest": 120.0}),
        ("429 bare", {"status": 429, "bare": True}),
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


@pytest.mark.parametrize(
    ("text", "part", "rule"),
    [
        ("", "a fault is missing", "[SERVICE][:PATH]"),
        ("payments GET", "has no fault kind", "choose from latency, 401"),
        ("crm lateny 2s", "'lateny'", "choose from latency"),
        ("paymnts:/v1/* 500", "'paymnts'", "payments, files, incidents, crm"),
        ("payments:v1 500", "path 'v1'", "start with /"),
        ("crm latency", "latency stands alone", "latency TIME[-TIME]; TIME: 200ms"),
        ("crm latency 11m", "latency '11m'", "at most 10m"),
        ("crm latency 2s-1s", "latency '2s-1s'", "latency TIME[-TIME]"),
        ("crm drop", "drop stands alone", "drop before | drop after [SIZE]"),
        ("crm drop before 10 bytes", "drop 'before 10 bytes'", "drop before | drop after [SIZE]"),
        ("crm drop after 10", "drop 'after 10'", "SIZE: 100 bytes"),
        ("crm cut 10 bytes", "cut '10 bytes'", "cut [after SIZE]"),
        ("crm cut after", "cut 'after'", "cut [after SIZE]"),
        ("crm large 10 bytes", "large '10 bytes'", "large [SIZE]"),
        ("crm large 11GB", "large '11gb'", "at most 10GB"),
        ("crm html 404", "html '404'", "html [200|502]"),
        ("crm drip fast", "drip 'fast'", "drip [TIME]"),
        ("crm forge 402", "crm never returns 402", "payments, files, incidents"),
        ("forge 418", "418 needs a service", "401, 402, 408"),
        ("crm escapes 401 utf-16", "escapes '401 utf-16'", "escapes [CHARSET] [STATUS]; CHARSET: utf-16be"),
        ("crm 429 naked", "429 'naked'", "429 [bare]"),
        ("crm 500 bare", "500 'bare'", "write 500"),
        ("408", "408 needs a service", "incidents"),
        ("crm 500 x0", "'x0'", "from x1"),
        ("crm 500 " + "x" * 600, "too long", "500 characters"),
    ],
)
def test_text_that_is_no_fault(text: str, part: str, rule: str) -> None:
    with pytest.raises(WrongFault) as caught:
        parse(text)
    said, _, example = str(caught.value).partition("; for example: ")
    assert part in said
    assert rule in said
    parse(example)


def test_the_table_holds_every_kind_and_its_examples_are_faults() -> None:
    text = table()
    for name, kind in KINDS.items():
        assert kind.form in text
        assert kind.example in text
        assert parse(kind.example).kind == name
    assert max(len(line) for line in text.splitlines()) <= 128


def test_every_service_has_words_for_every_status() -> None:
    for name, refuse in error_responses(World(1, 1764555240)).items():
        assert [refuse(status, False).status_code for status in STATUSES[name]] == list(STATUSES[name])
    kinds = {int(name) for name in KINDS if name.isdigit()}
    assert kinds == {status for statuses in STATUSES.values() for status in statuses}


@settings(derandomize=True, deadline=None)
@given(st.lists(st.sampled_from([*"a:/*x3", "crm", "GET", "429", "drop", "after", "1", "MB", " ", "s", "-", "é", "\x1b"])))
def test_any_text_is_a_fault_or_told_why_not(parts: list[str]) -> None:
    told = ""
    try:
        told = f"{parse(''.join(parts))}; for example: "
    except WrongFault as error:
        told = str(error)
    assert "; for example: " in told
