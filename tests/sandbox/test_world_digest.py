"""The payments world is the same from version to version: ids that somebody wrote down, and kept worlds, stay good."""

import hashlib
import json

import pytest

from registry.sandbox.world import World
from tests.sandbox.test_world_references import LARGER, NOW, written

DIGESTS = {
    World(1, NOW): "702f301d112726cbc1d1301d7368e821effaea3eb0110a77b0d3b5e97f865edd",
    World(7, 1_709_200_000): "a94bd3a251389a569681281109deb8fb0bbd64170e51a188c95cba22db2d65d7",
    LARGER: "b3ab5e52e03d9d0333be77f5caad40002dfe762fb99b0a005addc5e40707123b",
}


@pytest.mark.parametrize("world", DIGESTS, ids=("seed 1", "seed 7", "larger"))
def test_no_object_has_changed(world: World) -> None:
    """Who changes the world on purpose renews the digests and raises `keeping.VERSION`: kept worlds would mix old and new."""
    digest = hashlib.sha256()
    for kind, rows in sorted(written(world).items()):
        for row in rows:
            digest.update(json.dumps([kind, row.id, row.created, row.body], sort_keys=True).encode())
    assert digest.hexdigest() == DIGESTS[world]
