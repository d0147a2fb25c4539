"""The payments world is the same from version to version: ids that somebody wrote down, and kept worlds, stay good."""

from __future__ import annotations

import hashlib
import json

import pytest

from registry.sandbox.world import World
from tests.sandbox.test_world_references import NOW, written

DIGESTS = {
    World(1, NOW): "754badd4d0230f92e64da5892063aa8263c6937881cebd5cc370feb23ded7184",
    World(7, 1_709_200_000): "33ab7e41522aedd2c6150f5085cd422e0613c58b8ec66bb4b3a18ed879ef41d0",
}


@pytest.mark.parametrize("world", DIGESTS, ids=lambda world: f"seed {world.seed}")
def test_no_object_has_changed(world: World) -> None:
    """Who changes the world on purpose renews the digests and raises `keeping.VERSION`: kept worlds would mix old and new."""
    digest = hashlib.sha256()
    for kind, rows in sorted(written(world).items()):
        for row in rows:
            digest.update(json.dumps([kind, row.id, row.created, row.body], sort_keys=True).encode())
    assert digest.hexdigest() == DIGESTS[world]
