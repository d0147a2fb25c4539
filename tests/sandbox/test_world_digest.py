"""The payments world is the same from version to version: ids that somebody wrote down, and kept worlds, stay good."""

from __future__ import annotations

import hashlib
import json

import pytest

from registry.sandbox.world import World
from tests.sandbox.test_world_references import NOW, written

DIGESTS = {
    World(1, NOW): "24bdafbd8f568fdf99b54fbffb8960923de2284f55ec716e829b1c89ead881d6",
    World(7, 1_709_200_000): "2f86ae914142168deb8c3a5bf92c8a0b9fa361d458eb8abd2e89aa54fe35483f",
}


@pytest.mark.parametrize("world", DIGESTS, ids=lambda world: f"seed {world.seed}")
def test_no_object_has_changed(world: World) -> None:
    """Who changes the world on purpose renews the digests and raises `keeping.VERSION`: kept worlds would mix old and new."""
    digest = hashlib.sha256()
    for kind, rows in sorted(written(world).items()):
        for row in rows:
            digest.update(json.dumps([kind, row.id, row.created, row.body], sort_keys=True).encode())
    assert digest.hexdigest() == DIGESTS[world]
