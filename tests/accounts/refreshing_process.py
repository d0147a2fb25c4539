"""A process that refreshes again and again: ``python -m tests.accounts.refreshing_process ADDRESS CLIENT FILE TIMES``.

It prints the access tokens that it was given, one a line. In its store every token has ended, so each is refreshed.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

from registry.accounts.oauth import OAuthClient, Tokens
from registry.accounts.refreshing import AccessToken
from tests.accounts.file_store import FileStore, server_at


class Ended(FileStore):
    """A store whose tokens have all ended."""

    def read(self) -> Tokens | None:
        held = super().read()
        return None if held is None else replace(held, expires_at=0.0)


def main(address: str, client: str, file: str, times: str) -> None:
    """Refresh."""
    refresher = AccessToken(server_at(address), lambda: OAuthClient(client), Ended(Path(file).parent), "x")
    given = ""
    for _ in range(int(times)):
        given = refresher.fresh(given).access.reveal()
        sys.stdout.write(given + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
