"""Signs in to an account with a browser, from a dialog."""

from __future__ import annotations

from registry.accounts.account import Account
from registry.accounts.browser import open_in_browser
from registry.accounts.signed_in import SignedIn, signed_in, signed_in_again
from tui.session import Session


async def sign_in_to(session: Session, account: Account, client_secret: str | None = None) -> SignedIn:
    """Sign in; returns the result. Cancelling the task ends the sign-in.

    Args:
        session: has the services and the stores.
        account: the account.
        client_secret: the secret of the client, for a new account that is not stored yet. None for a known account: its client
        is stored, and the new tokens are stored too.

    Raises:
        CredentialProblem: it did not work.
        AccountError: the service has no sign-in.
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
