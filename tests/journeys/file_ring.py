"""A keyring for tests, shared by processes: it keeps its entries in the file that ``PLANTED_RING`` names."""

import json
import os
from pathlib import Path

from keyring.backend import KeyringBackend
from keyring.compat import properties


class FileRing(KeyringBackend):
    """Not encrypted; chosen by ``PYTHON_KEYRING_BACKEND``."""

    @properties.classproperty
    def priority(cls) -> float:  # noqa: N805
        return 1

    def get_password(self, service: str, username: str) -> str | None:
        return _entries().get(username)

    def set_password(self, service: str, username: str, password: str) -> None:
        _file().write_text(json.dumps(_entries() | {username: password}))

    def delete_password(self, service: str, username: str) -> None:
        _file().write_text(json.dumps({key: value for key, value in _entries().items() if key != username}))


def _file() -> Path:
    return Path(os.environ["PLANTED_RING"])


def _entries() -> dict[str, str]:
    return dict(json.loads(_file().read_text())) if _file().exists() else {}
