"""Signing in to an account with a browser, from a dialog."""

from __future__ import annotations

from typing import TYPE_CHECKING

from registry.accounts.account import Account
from registry.accounts.signed_in import SignedIn, signed_in, signed_in_again
from registry.signing_in.browser import open_in_browser

if TYPE_CHECKING:
    from tui.session import Session


async def sign_in_to(session: Session, account: Account, client_secret: str | None = None) -> SignedIn:
    """What a sign-in gives. Cancelling the task that runs this ends it.

    Args:
        session: has the services and the stores.
        account: the account.
        client_secret: the secret of the client of a new account, of which nothing is kept yet. Without it, the client is known,
            and the tokens are kept.

    Raises:
        CredentialProblem: it did not work.
        AccountError: nobody can sign in to the service.
    """
    engine = session.engine
    service = engine.account_book.service(account.service)
    tools = [tool for tool in engine.catalog.tools.values() if tool.toolkit == service.toolkit]

    async def show(address: str) -> None:
        await open_in_browser(address, session.environment)

    secrets = engine.account_book.secrets
    if client_secret is None:
        return await signed_in_again(account, service, secrets, show=show, paste=None, tools=tools)
    return await signed_in(account, service, secrets, client_secret, show=show, paste=None, tools=tools)
