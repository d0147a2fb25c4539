"""The payments world is the same from version to version: ids that somebody wrote down, and kept worlds, stay good."""

from __future__ import annotations

import hashlib
import json

import pytest

from registry.sandbox.world import World
from tests.sandbox.test_world_references import NOW, written

DIGESTS = {
    World(1, NOW): "dbf22ad874545be3d417eeeedfe24e90972af7dd45439f5335f2287e73a9bd9a",
    World(7, 1_709_200_000): "376400d5ec0a84c42852f5a8ae3bd963317cd36523ab542b0e2233b2ed234b69",
}


@pytest.mark.parametrize("world", DIGESTS, ids=lambda world: f"seed {world.seed}")
def test_no_object_has_changed(world: World) -> None:
    """Who changes the world on purpose renews the digests and raises `keeping.VERSION`: kept worlds would mix old and new."""
    digest = hashlib.sha256()
    for kind, rows in sorted(written(world).items()):
        for row in rows:
            digest.update(json.dumps([kind, row.id, row.created, row.body], sort_keys=True).encode())
    assert digest.hexdigest() == DIGESTS[world]
