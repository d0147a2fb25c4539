"""The payments world is the same from version to version: ids that somebody wrote down, and kept worlds, stay good."""

from __future__ import annotations

import hashlib
import json

import pytest

from registry.sandbox.world import World
from tests.sandbox.test_world_references import NOW, written

DIGESTS = {
    World(1, NOW): "c7cd636add1943891c5f30b33c85607c6d2cbb402f2867994c2a6a9d726d5812",
    World(7, 1_709_200_000): "997d2eaf4d1d13918750769514156d033eb84cb34d1863bb1951b8a414ade529",
}


@pytest.mark.parametrize("world", DIGESTS, ids=lambda world: f"seed {world.seed}")
def test_no_object_has_changed(world: World) -> None:
    """Who changes the world on purpose renews the digests and raises `keeping.VERSION`: kept worlds would mix old and new."""
    digest = hashlib.sha256()
    for kind, rows in sorted(written(world).items()):
        for row in rows:
            digest.update(json.dumps([kind, row.id, row.created, row.body], sort_keys=True).encode())
    assert digest.hexdigest() == DIGESTS[world]
