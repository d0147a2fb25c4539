"""Which scopes a sign-in grants, of those that were asked for."""

from __future__ import annotations

from registry.sandbox.signin.errors import invalid_scope
from registry.sandbox.signin.profiles import OAuthClient, Profile


def granted(profile: Profile, client: OAuthClient, scope: str | None, optional: str | None) -> tuple[str, ...]:
    """The scopes that the person is asked for, in order of their names.

    Args:
        profile: the service; if an unknown scope is not an error there, requesting one leaves only what every token has.
        client: who asks.
        scope: the requested scopes, separated by spaces.
        optional: further scopes; unknown ones are ignored.

    Raises:
        SignInError: invalid_scope, if that is an error.
    """
    asked = _read(scope)
    known = set(client.scopes)
    if not profile.strict:
        return _in_order({*profile.always, *(asked if asked <= known else ())})
    if not asked:
        raise invalid_scope("scope is missing. Name at least one scope.")
    if not asked <= known:
        raise invalid_scope(f"scope names what this application cannot have. It can have: {' '.join(sorted(known))}.")
    return _in_order(asked | (_read(optional) & known))


def narrowed(scopes: tuple[str, ...], scope: str | None) -> tuple[str, ...]:
    """The scopes of a refreshed access token: as before, or the part of them that is asked for (RFC 6749, section 6).

    Raises:
        SignInError: invalid_scope, more is asked for than was granted.
    """
    if scope is None:
        return scopes
    asked = _read(scope)
    if not asked <= set(scopes):
        raise invalid_scope("scope names more than was granted.")
    return _in_order(asked)


def of_application(client: OAuthClient, account: str, scope: str | None) -> tuple[str, ...]:
    """The scopes of a token that an application gets for itself: `account` must be among them; unknown ones are left out.

    Raises:
        SignInError: invalid_scope, the account was not named.
    """
    asked = _read(scope)
    if account not in asked:
        raise invalid_scope(f"scope must name the account: {account}.")
    return _in_order(asked & {account, *client.scopes})


def _read(text: str | None) -> set[str]:
    return set((text or "").split(" ")) - {""}


def _in_order(scopes: set[str]) -> tuple[str, ...]:
    return tuple(sorted(scopes))
