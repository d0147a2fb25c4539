"""Two worlds: the usual one is fit to be shown to anybody; the rough one differs in its texts only."""

import json
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import httpx
import pytest

from registry.sandbox.crm.people import users
from registry.sandbox.server import application
from registry.sandbox.world import World
from tests.sandbox.written_worlds import NOW, ROUGH, WORLD, written

HARD = re.compile(
    "[\x00-\x1f\x7f-\x9f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]"  # controls, invisible, direction
    r"|\[/|\[@|\[\w+\]|<\w|</|\\|DROP TABLE|evil\.|https?://[^ ]*\]"  # markup, queries
    "|[\U0001f000-\U0001faff]"  # pictures
    "|(?i:stuck|clock:|hostile|escape\\b.*red)"
)
SCENARIOS = ("busy-night", "storm", "quiet")


def texts(value: Any) -> Iterator[str]:
    """Every text in a value, names of members too."""
    match value:
        case str():
            yield value
        case dict():
            yield from (text for pair in value.items() for part in pair for text in texts(part))
        case list() | tuple():
            yield from (text for one in value for text in texts(one))


@cache
def payments(world: World) -> set[str]:
    return {text for rows in written(world).values() for row in rows for text in texts(row.body)}


async def incidents(rough: bool, scenario: str) -> str:
    """What the incident service says of all that is, as JSON."""
    transport = httpx.ASGITransport(application(now=NOW, rough=rough, scenario=scenario))
    headers = {"Authorization": "Token token=x"}
    parts = []
    async with httpx.AsyncClient(transport=transport, base_url="http://sandbox/incidents", headers=headers) as client:
        for path in (
            "incidents?date_range=all&limit=100",
            "incidents?date_range=all&limit=100&offset=100",
            "log_entries?limit=100",
        ):
            response = await client.get("/" + path)
            assert response.status_code == 200, response.text
            parts += [text for text in texts(response.json()) if not text.startswith("http")]
    return "\n".join(json.dumps(part, ensure_ascii=False) if HARD.search(part) else part for part in parts)


def test_the_usual_payments_can_be_shown_to_anybody() -> None:
    found = {text for text in payments(WORLD) if HARD.search(text)}
    assert found == set()
    names = [row.body["name"] for row in written(WORLD)["customer"] if row.body["name"]]
    assert max(map(len, names)) <= 60


@pytest.mark.parametrize("scenario", SCENARIOS)
async def test_the_usual_incidents_can_be_shown_to_anybody(scenario: str) -> None:
    said = (await incidents(False, scenario)).replace("\n", " ")
    hosts = re.compile(r"\[(?:fra1|ams1|sin1|iad1)-\d\d\]|\[#\d+\]")
    assert HARD.findall(hosts.sub("", said)) == []


async def test_rough_incidents_are_hard_to_show() -> None:
    said = await incidents(True, "busy-night")
    for part in ("\\u001b[31m", "[@click=app.quit]", "\u202e", "DROP TABLE", "[/x] [prod]", "🔥", "\\u0000"):
        assert part in said, part


def test_rough_payments_are_hard_to_show() -> None:
    names = [row.body["name"] or "" for row in written(ROUGH)["customer"]]
    assert ("" in names, max(map(len, names))) == (True, 300)
    said = "\n".join(payments(ROUGH))
    for part in ("ليلى", "בית", "佐藤", "陈氏", "한강", "🎉", "[/x]", '"Quote" \\', "\u202e", "\u001b"):
        assert part in said, part


def test_the_worlds_differ_in_texts_only() -> None:
    for kind, rows in written(WORLD).items():
        others = written(ROUGH)[kind]
        assert [(row.id, row.created) for row in rows] == [(row.id, row.created) for row in others], kind
        for row, other in zip(rows, others, strict=True):
            assert _without_texts(row.body) == _without_texts(other.body), (kind, row.id)
    assert [id_ for id_, _, _ in users(WORLD)] == [id_ for id_, _, _ in users(ROUGH)]


def _without_texts(value: Any) -> Any:
    match value:
        case str():
            return str
        case dict():
            return sorted(str(_without_texts(one)) for one in value.values())
        case list():
            return [_without_texts(one) for one in value]
    return value
