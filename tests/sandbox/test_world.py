"""The payments world is the same from version to version, and coherent whenever it begins: times, periods, references."""

import hashlib
import json

import pytest

from registry.sandbox.world import World
from tests.sampled import chosen
from tests.sandbox.written_worlds import LARGER, NOW, by_id, lost, written

# Ids that somebody wrote down, and kept worlds, stay good. Another seed, or another moment, is another digest.
DIGESTS = {
    World(1, NOW): "702f301d112726cbc1d1301d7368e821effaea3eb0110a77b0d3b5e97f865edd",
    World(7, 1_709_200_000): "a94bd3a251389a569681281109deb8fb0bbd64170e51a188c95cba22db2d65d7",
    LARGER: "b3ab5e52e03d9d0333be77f5caad40002dfe762fb99b0a005addc5e40707123b",
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
    "world", chosen(WORLDS, (World(1, 1_740_787_200), LARGER).__contains__), ids=lambda world: f"{world.now}/{world.customers}"
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
    assert lost(world) == []
