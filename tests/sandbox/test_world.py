"""The payments world is the same from version to version, and coherent; the usual one can be shown to anybody."""

import hashlib
import json
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import httpx
import pytest

from registry.sandbox.crm.administration import users
from registry.sandbox.server import application
from registry.sandbox.world import World
from tests.sampled import chosen
from tests.sandbox.written_worlds import LARGER, NOW, ROUGH, WORLD, by_id, lost, written

# Ids that somebody wrote down, and kept worlds, stay good. Another seed, or another moment, is another digest.
DIGESTS = {
    World(1, NOW): "a101e49bdc1f7bf6913cbf6a1385a6d3a2c5d2fc390923c1ffd369ad1d2d2607",
    World(7, 1_709_200_000): "e72176a9043e2e78bfaf1823750850d3715fe3b924299e57d0684835761d6e6d",
    LARGER: "77b14eec4455a91e4df1c529eb4363177a85d90585c698284ec0ccff0eaf1f4e",
}

# The end of a leap February, of a year, of a long month; a midnight; and the usual moment.
MOMENTS = (1_709_200_000, 1_767_139_199, 1_785_500_000, 1_740_787_200, NOW)
WORLDS = [*(World(1, now) for now in MOMENTS), LARGER, *(World(3, now, customers=300) for now in MOMENTS[:2])]


@pytest.mark.parametrize("world", DIGESTS, ids=("seed 1", "seed 7", "larger"))
def test_no_object_has_changed(world: World) -> None:
    """Who changes the world on purpose renews the digests and raises `keeping.VERSION`: kept worlds would mix old and new."""
    digest = hashlib.sha256()
    for kind, rows in sorted(written(world).items()):
        for row in rows:
            digest.update(json.dumps([kind, row.id, row.created, row.body], sort_keys=True).encode())
    assert digest.hexdigest() == DIGESTS[world]


@pytest.mark.parametrize(
    "world", chosen(WORLDS, (World(1, 1_785_500_000), LARGER).__contains__), ids=lambda world: f"{world.now}/{world.customers}"
)
def test_a_world_is_coherent_at_every_moment(world: World) -> None:
    for kind, rows in written(world).items():
        for row in rows:
            assert max(row.created, row.body.get("created", 0)) <= world.now, (kind, row.id)
    subscriptions = by_id(world, "subscription")
    for item in written(world)["subscription_item"]:
        subscription = subscriptions[item.body["subscription"]].body
        if subscription["status"] in ("active", "trialing", "past_due", "unpaid"):
            assert item.body["current_period_start"] <= world.now < item.body["current_period_end"]
        elif subscription["status"] == "canceled":
            assert subscription["ended_at"] <= world.now
    drafts = [row.body for row in written(world)["invoice"] if row.body["status"] == "draft"]
    assert all(one.get("automatically_finalizes_at", world.now) >= world.now for one in drafts)
    charges = [row.body for row in written(world)["charge"]]
    assert all(one["refunded"] == (one["amount_refunded"] == one["amount"]) for one in charges)
    assert lost(world) == []


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
