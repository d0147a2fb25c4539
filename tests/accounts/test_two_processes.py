"""Two processes that refresh one sign-in whose refresh tokens are good for one use: none is lost, none is refused."""

import asyncio
import subprocess
import sys
from pathlib import Path

import httpx
import pytest
from msgspec.structs import replace

from registry.accounts.credentials import AccessToken
from registry.accounts.oauth import OAuthClient, Tokens
from tests.accounts.file_store import FileStore, server_at
from tests.accounts.people import Browser, nothing
from tests.accounts.test_sign_in import sign_in
from tests.sandbox.signing_in import TERMINAL


class Ended(FileStore):
    """A store whose tokens have all ended, so each is refreshed."""

    def read(self) -> Tokens | None:
        held = super().read()
        return None if held is None else replace(held, expires_at=0.0)


def refresh(address: str, client: str, folder: str, times: str) -> None:
    """What each process does: refresh again and again, and print each access token that it is given."""
    token = AccessToken(server_at(address), lambda: OAuthClient(client), Ended(Path(folder)), "x")
    given = ""
    for _ in range(int(times)):
        given = token.fresh(given).access.reveal()
        sys.stdout.write(given + "\n")


@pytest.mark.long
def test_two_processes(sandbox: str, store: FileStore, tmp_path: Path) -> None:
    times = 100
    browser, server, client = Browser(), server_at(sandbox), OAuthClient(TERMINAL)
    store.write(asyncio.run(sign_in(server, client, probe=nothing, show=browser.note, paste=browser.paste)))
    words = [sys.executable, "-m", __name__, sandbox, client.id, str(store.folder), str(times)]
    running = [subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(2)]
    told = [process.communicate(timeout=300) for process in running]
    assert [errors for _, errors in told] == ["", ""]
    given = [token for lines, _ in told for token in lines.split()]
    assert len(given) == len(set(given)) == 2 * times
    # A refresh token that was used twice would have ended the whole sign-in.
    last = AccessToken(server, lambda: client, store, "x").fresh()
    assert last.access.reveal() in given
    headers = {"Authorization": f"Bearer {last.access.reveal()}"}
    assert httpx.get(f"{sandbox}/incidents/users/me", headers=headers).status_code == 200
    assert sorted(path.name for path in tmp_path.iterdir()) == ["tokens.lock", "tokens.secret"]


if __name__ == "__main__":
    refresh(*sys.argv[1:])
