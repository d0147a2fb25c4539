"""A user's regular expression is searched in a process of its own: it holds nothing up, and is stopped after a while."""

from __future__ import annotations

import subprocess
from typing import Any

import pytest

from tests.json_view.test_search import AS_SENT
from tui.json_view import threaded as search_apart
from tui.json_view.document import Document
from tui.json_view.find_line import typed_search
from tui.json_view.search import BadPattern, SearchFailed, TextSearch, Where, hits
from tui.json_view.threaded import hits_in

RUNAWAY = Document.of(b'{"a": "' + b"a" * 60 + b'"}')


def test_one_that_takes_hours_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search_apart, "LONGEST", 0.5)
    with pytest.raises(SearchFailed, match=r"stopped after 0\.5 s: use a simpler expression, or plain text"):
        hits_in(RUNAWAY, TextSearch("(a+)+b", is_regex=True), lambda: False)


def test_one_that_is_given_up_ends_at_once() -> None:
    looks = iter([False, True])
    assert hits_in(RUNAWAY, TextSearch("(a+)+b", is_regex=True), lambda: next(looks)).tolist() == []


@pytest.mark.parametrize(("pattern", "where"), [("^x|na.e", "keys"), (r"\(\.\*", "everywhere")])
def test_the_same_is_found(pattern: str, where: Where) -> None:
    document, query = Document.of(AS_SENT[0]), TextSearch(pattern, True, where)
    found = hits(document.rows, query).tolist()
    assert found
    assert hits_in(document, query, lambda: False).tolist() == found


def test_what_is_wrong_is_said() -> None:
    with pytest.raises(BadPattern, match="missing \\), unterminated subpattern at character 1"):
        hits_in(RUNAWAY, TextSearch("(", is_regex=True), lambda: False)


def test_a_condition_needs_no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(*_: object, **__: Any) -> None:
        raise OSError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(subprocess, "Popen", none)
    assert hits_in(Document.of(b'{"a": "b"}'), typed_search("a:b", "everywhere"), lambda: False).tolist() == [1]
    with pytest.raises(SearchFailed, match="cannot start a process for the search: Resource temporarily unavailable"):
        hits_in(RUNAWAY, TextSearch("a", is_regex=True), lambda: False)
