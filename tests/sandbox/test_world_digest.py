"""The payments world is the same from version to version: ids that somebody wrote down, and kept worlds, stay good."""

from __future__ import annotations

import hashlib
import json

import pytest

from registry.sandbox.world import World
from tests.sandbox.test_world_references import NOW, written

DIGESTS = {
    World(1, NOW): "31dfce3ad633ad8aa771e3122fc95c11806320b51f112b33ba08fd208ac7cb83",
    World(7, 1_709_200_000): "0dbda56a9f57e0b9910e4d55a0197a7ca066d338fa4aee399a08415597482d15",
}


@pytest.mark.parametrize("world", DIGESTS, ids=lambda world: f"seed {world.seed}")
def test_no_object_has_changed(world: World) -> None:
    """Who changes the world on purpose renews the digests and raises `keeping.VERSION`: kept worlds would mix old and new."""
    digest = hashlib.sha256()
    for kind, rows in sorted(written(world).items()):
        for row in rows:
            digest.update(json.dumps([kind, row.id, row.created, row.body], sort_keys=True).encode())
    assert digest.hexdigest() == DIGESTS[world]
