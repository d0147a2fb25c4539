"""Engines to write to: an S3 server for all tests, and every kind of target."""

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.engines.targets import PartsTarget, TableTarget, Target

_COUNT = itertools.count(1)


@pytest.fixture(scope="session")
def object_store() -> Iterator[str]:
    """The endpoint of an S3 server with the bucket ``things``."""
    moto = pytest.importorskip("moto.server")
    server = moto.ThreadedMotoServer(ip_address="127.0.0.1", port=0)
    server.start()
    endpoint = "http://{}:{}".format(*server.get_host_and_port())
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AWS_ACCESS_KEY_ID", "test")
        patch.setenv("AWS_SECRET_ACCESS_KEY", "test")
        patch.setenv("AWS_REGION", "us-east-1")
        patch.setenv("AWS_EC2_METADATA_DISABLED", "true")
        from pyarrow.fs import S3FileSystem

        S3FileSystem(endpoint_override=endpoint, allow_bucket_creation=True).create_dir("things")
        yield endpoint
    server.stop()


@pytest.fixture
def new(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[str], Target]:
    """Makes targets of a kind, which nothing is in yet."""

    def target(kind: str) -> Target:
        number = next(_COUNT)
        match kind:
            case "duckdb":
                return TableTarget(f"duckdb:{tmp_path}/{number}.duckdb", "things")
            case "postgres":
                return TableTarget(request.getfixturevalue("postgres"), f"things_{number}")
            case "folder":
                return PartsTarget(f"{tmp_path}/parts_{number}/")
        return PartsTarget(f"things/p{number}/", request.getfixturevalue("object_store"))

    return target


@pytest.fixture(params=["duckdb", "postgres", "folder", "objects"])
def target(request: pytest.FixtureRequest, new: Callable[[str], Target]) -> Target:
    """A target of every kind."""
    return new(request.param)


@pytest.fixture(params=["duckdb", "postgres", "folder"])
def local_target(request: pytest.FixtureRequest, new: Callable[[str], Target]) -> Target:
    """The same without the object store, which is slow and writes parts as the folder does."""
    return new(request.param)
