"""Where a page stands in its list, and which arguments give the pages around it.

Decided by the parameters' roles: two-sided cursors, offset and limit, a one-way cursor, the next page of a search.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from registry.calling.arguments import Value
from registry.calling.result import ResultPage
from registry.catalog.model import Tool


def page_of(tool: Tool, values: Mapping[str, Value], answer: Any) -> ResultPage | None:
    """The page that an answer is, or None when it is no page.

    Args:
        tool: what was called.
        values: the arguments that it was called with.
        answer: the answer as Python values.
    """
    if not isinstance(answer, dict) or tool.returns.kind not in ("list", "search_result"):
        return None
    if tool.with_role("offset"):
        return _by_offset(tool, values, answer)
    if isinstance(answer.get("data"), list):
        return _search(tool, answer) if tool.with_role("page") else _by_cursor(tool, values, answer)
    if isinstance(answer.get("results"), list):
        return _one_way(tool, answer)
    return None


def items_of(answer: Any) -> list[Any] | None:
    """The items of a page, wherever its service puts them; None when the answer is no page."""
    if not isinstance(answer, dict):
        return None
    for name, value in answer.items():
        if isinstance(value, list) and (name in ("data", "results") or "offset" in answer):
            return value
    return None


def texts_of(answer: Any) -> list[bytes] | None:
    """The items of a page as the texts that came; None when the answer is no page that was looked at from outside."""
    texts = getattr(items_of(answer), "texts", None)
    return None if texts is None else [bytes(text) for text in texts]


def _by_cursor(tool: Tool, values: Mapping[str, Value], answer: dict[str, Any]) -> ResultPage:
    items, has_more = answer["data"], answer.get("has_more") is True
    after, before = tool.with_role("cursor_after"), tool.with_role("cursor_before")
    if not after or not before or not items:
        return ResultPage(len(items), has_more)
    backwards = before.name in values
    first, last = _id(items[0]), _id(items[-1])
    # The answer tells only of the direction asked for. Behind a page that was reached by going back there is the page that
    # it was reached from; before a page reached by going on, likewise.
    more_behind = has_more if not backwards else True
    more_before = has_more if backwards else after.name in values
    following = {after.name: last, before.name: None} if more_behind and last else None
    preceding = {before.name: first, after.name: None} if more_before and first else None
    return ResultPage(len(items), has_more, following, preceding)


def _by_offset(tool: Tool, values: Mapping[str, Value], answer: dict[str, Any]) -> ResultPage | None:
    offset, items = tool.with_role("offset"), items_of(answer)
    if offset is None or items is None:
        return None
    passed = answer.get("offset")
    passed = passed if isinstance(passed, int) else int(values.get(offset.name, 0))  # type: ignore[arg-type]
    size = answer.get("limit") if isinstance(answer.get("limit"), int) else len(items)
    has_more = answer.get("more") is True
    # Advance by what came, not by what was asked for: a service may answer with less.
    following = {offset.name: passed + len(items)} if has_more and items else None
    preceding = {offset.name: max(passed - int(size or 0), 0) or None} if passed > 0 else None
    total = answer.get("total")
    return ResultPage(len(items), has_more, following, preceding, total if isinstance(total, int) else None)


def _search(tool: Tool, answer: dict[str, Any]) -> ResultPage:
    page, following = tool.with_role("page"), answer.get("next_page")
    total = answer.get("total_count")
    return ResultPage(
        len(answer["data"]),
        answer.get("has_more") is True,
        {page.name: following} if page and isinstance(following, str) else None,
        total=total if isinstance(total, int) else None,
    )


def _one_way(tool: Tool, answer: dict[str, Any]) -> ResultPage:
    cursor = tool.with_role("cursor_after")
    paging = answer.get("paging")
    following = paging.get("next") if isinstance(paging, dict) else None
    after = following.get("after") if isinstance(following, dict) else None
    more = cursor is not None and isinstance(after, str)
    return ResultPage(len(answer["results"]), more, {cursor.name: after} if cursor and more else None)


def _id(item: Any) -> str | None:
    value = item.get("id") if isinstance(item, dict) else None
    return value if isinstance(value, str) else None
