"""Faults as text: what is read, how it is written again, and what is said of text that is no fault."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from registry.sandbox.error_responses import error_responses
from registry.sandbox.faults.fault import (
    ENCODINGS,
    HOSTILE,
    STATUSES,
    Bomb,
    Cut,
    Drip,
    Drop,
    Fault,
    Hostile,
    HtmlPage,
    Large,
    Latency,
    Status,
    Trickle,
)
from registry.sandbox.faults.specification import KINDS, WrongFault, parse, table
from registry.sandbox.world import World


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("incidents:/incidents* 500 x3", Fault(Status(500), "incidents", "/incidents*", None, 3)),
        ("payments latency 200ms-2s", Fault(Latency(0.2, 2.0), "payments")),
        ("latency 200 ms - 1.5 s", Fault(Latency(0.2, 1.5))),
        ("latency 2m", Fault(Latency(120.0, 120.0))),
        ("crm 429", Fault(Status(429), "crm")),
        ("429 bare", Fault(Status(429, bare=True))),
        ("payments:/v1/customers* drop after 100 bytes", Fault(Drop(True, 100), "payments", "/v1/customers*")),
        ("drop after", Fault(Drop(True))),
        ("delete drop before", Fault(Drop(False), method="DELETE")),
        ("/v1/* GET cut", Fault(Cut(), None, "/v1/*", "GET")),
        ("cut after 64KB", Fault(Cut(64_000))),
        ("html", Fault(HtmlPage(502))),
        ("HTML 200 x1", Fault(HtmlPage(200), count=1)),
        ("files large", Fault(Large(200_000_000), "files")),
        ("large 1 GB", Fault(Large(1_000_000_000))),
        ("trickle", Fault(Trickle(0.01))),
        ("  CRM   trickle  0.5s  ", Fault(Trickle(0.5), "crm")),
        ("bomb", Fault(Bomb(1_000_000_000))),
        ("payments bomb 10GB x1", Fault(Bomb(10_000_000_000), "payments", count=1)),
        ("crm drip 200ms", Fault(Drip(0.2), "crm")),
        ("encoding", Fault(Hostile("encoding", "utf-16be"))),
        ("nan", Fault(Hostile("nan"))),
        ("payments surrogate 409", Fault(Hostile("surrogate", None, 409), "payments")),
        ("crm echo-credential UTF-16 401 x2", Fault(Hostile("echo-credential", "utf-16", 401), "crm", count=2)),
        ("payments DELETE forge 409", Fault(Hostile("forge", None, 409), "payments", method="DELETE")),
        ("incidents 408 ×2", Fault(Status(408), "incidents", count=2)),
    ],
)
def test_reading(text: str, fault: Fault) -> None:
    assert parse(text) == fault
    assert parse(str(fault)) == fault


@pytest.mark.parametrize("time", ["1ms", "0.5ms", "999ms", "1s", "1.001s", "59.999s", "0.25m", "599999.5ms", "10m"])
def test_times_are_written_as_they_are_read(time: str) -> None:
    fault = parse(f"trickle {time}")
    assert parse(str(fault)) == fault


@pytest.mark.parametrize(
    ("text", "part", "rule"),
    [
        ("", "a fault is missing", "[SERVICE][:PATH]"),
        ("payments", "has no fault kind", "choose from latency, 401"),
        ("payments GET", "has no fault kind", "choose from latency"),
        ("x3", "has no fault kind", "choose from latency"),
        ("crm lateny 2s", "'lateny'", "choose from latency"),
        ("crm 404", "'404'", "choose from latency"),
        ("paymnts:/v1/* 500", "'paymnts'", "payments, files, incidents, crm"),
        ("payments:v1 500", "path 'v1'", "start with /"),
        ("payments: 500", "path ''", "start with /"),
        ("crm latency", "latency stands alone", "a time or a range"),
        ("crm latency 5", "latency '5'", "200ms, 1.5s or 2m"),
        ("crm latency 11m", "latency '11m'", "up to 10m"),
        ("crm latency 2s-1s", "latency '2s-1s'", "from the shorter"),
        ("crm latency -1s", "latency '-1s'", "a time or a range"),
        ("crm drop", "drop stands alone", "before or after"),
        ("crm drop before 10 bytes", "drop 'before 10 bytes'", "before or after"),
        ("crm drop after 10", "drop '10'", "a size such as"),
        ("crm cut 10 bytes", "cut '10 bytes'", "after and a size"),
        ("crm cut after", "cut 'after'", "a size after the word after"),
        ("crm large 10 bytes", "large '10bytes'", "from 1000 bytes"),
        ("crm large 11GB", "large '11GB'", "to 10GB"),
        ("crm html 404", "html '404'", "200 or 502"),
        ("crm bomb 10 bytes", "bomb '10bytes'", "from 1000 bytes"),
        ("crm drip fast", "drip 'fast'", "200ms, 1.5s or 2m"),
        ("crm forge 402", "crm never returns 402", "payments, files, incidents"),
        ("forge 408", "408 needs a service", "incidents"),
        ("forge 418", "418 needs a service", "401, 402, 408"),
        ("crm escapes ebcdic", "escapes 'ebcdic'", "utf-16be"),
        ("crm escapes 401 utf-16", "escapes '401 utf-16'", "then a status"),
        ("crm 429 naked", "429 'naked'", "only have bare"),
        ("crm 500 bare", "500 'bare'", "no options"),
        ("crm 402", "crm never returns 402", "payments, files, incidents"),
        ("408", "408 needs a service", "incidents"),
        ("crm 500 x0", "'x0'", "from x1"),
        ("crm 500 x99999999", "'x99999999'", "x1000000"),
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
        assert str(parse(kind.example)).split(" x")[0].endswith(str(parse(kind.example).effect))
        assert kind.form.startswith(name)
    assert max(len(line) for line in text.splitlines()) <= 128


def test_every_service_has_words_for_every_status() -> None:
    spoken = {name: tuple(sorted(one.refusals)) for name, one in error_responses(World(1, 1764555240)).items()}
    assert spoken == dict(STATUSES)
    kinds = {int(name) for name in KINDS if name.isdigit()}
    assert kinds == {status for statuses in STATUSES.values() for status in statuses}


EFFECTS = st.one_of(
    st.tuples(st.integers(1, 600_000), st.integers(0, 600_000)).map(
        lambda times: Latency(times[0] / 1000, min(times[0] + times[1], 600_000) / 1000)
    ),
    st.just(Status(429, bare=True)),
    st.sampled_from([401, 429, 500, 503]).map(Status),
    st.builds(Drop, st.just(True), st.none() | st.integers(1, 10_000_000_000)),
    st.just(Drop(False)),
    st.builds(Cut, st.none() | st.integers(1, 10_000_000_000)),
    st.sampled_from([200, 502]).map(HtmlPage),
    st.integers(1_000, 10_000_000_000).map(Large),
    st.integers(1, 600_000).map(lambda time: Trickle(time / 1000)),
    st.integers(1, 600_000).map(lambda time: Drip(time / 1000)),
    st.integers(1_000, 10_000_000_000).map(Bomb),
    st.builds(Hostile, st.sampled_from(HOSTILE), st.sampled_from(ENCODINGS), st.sampled_from([None, 401, 429, 500])),
    st.builds(Hostile, st.sampled_from(HOSTILE[1:]), st.none(), st.sampled_from([None, 401, 429, 500])),
)
PATHS = st.text(st.characters(blacklist_categories=("Z", "C")), max_size=30).map(lambda text: "/" + text)


@settings(derandomize=True, deadline=None)
@given(
    st.builds(
        Fault,
        EFFECTS,
        st.none() | st.sampled_from(list(STATUSES)),
        st.none() | PATHS,
        st.none() | st.sampled_from(["GET", "DELETE"]),
        st.none() | st.integers(1, 1_000_000),
    )
)
def test_every_fault_is_read_from_its_own_text(fault: Fault) -> None:
    assert parse(str(fault)) == fault


@settings(derandomize=True, deadline=None)
@given(st.lists(st.sampled_from([*"a:/*x3", "crm", "GET", "429", "drop", "after", "1", "MB", " ", "s", "-", "é", "\x1b"])))
def test_any_text_is_a_fault_or_told_why_not(parts: list[str]) -> None:
    told = ""
    try:
        told = f"{parse(''.join(parts))}; for example: "
    except WrongFault as error:
        told = str(error)
    assert "; for example: " in told
