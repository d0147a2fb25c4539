"""How signing in differs from service to service, the applications that are registered, and which scopes they get.

=============================  ===============================  ==========================================
what                           incidents                        CRM
=============================  ===============================  ==========================================
a code is good for             30 s                             10 min, the most that RFC 6749 recommends
an access token is good for    30 days; scoped: 1 day           30 min
a refresh token is good for    210 days; scoped: 30 days        as long as nobody revokes it
all of it ends after           3 years; scoped: 1 year          never
refreshing                     gives a new refresh token        keeps the refresh token
a scope that does not exist    gives a token of ``openid`` only is an error, unless it was optional
=============================  ===============================  ==========================================

The secrets are public: they protect only a sandbox. Applications with a secret are redirected to a registered
address only, exactly as written; a program without one may listen on any port of its own machine (RFC 8252, section 7.3).
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import msgspec

from registry.sandbox.signin.parameters import SignInError
from registry.sandbox.world import DAY, MINUTE

INCIDENTS, CRM = "incidents", "crm"

_YEAR = 365 * DAY


class Lifetimes(msgspec.Struct, frozen=True):
    """Lifetimes in seconds; None for no limit. `whole` is from the sign-in to the end of the last refreshed token."""

    access: int
    refresh: int | None
    whole: int | None


class OAuthClient(msgspec.Struct, frozen=True):
    """A registered application.

    `secret` is None for a public client. `scopes` are those that it may ask for, each with what it allows in words.
    `acts_alone`: it may also get its own tokens, without anybody signing in.
    """

    id: str
    name: str
    secret: str | None
    redirects: tuple[str, ...]
    scopes: Mapping[str, str]
    lifetimes: Lifetimes
    needs_pkce: bool
    acts_alone: bool = False

    @property
    def public(self) -> bool:
        """Whether it cannot keep a secret: a program on somebody's own machine."""
        return self.secret is None

    def allows(self, address: str) -> bool:
        """Whether it may be sent back to this address, which is critical for security.

        An address is compared as text or matched whole against a narrow grammar, never taken apart by a parser whose idea of a
        host could differ from the browser's. Everything else is refused: no credentials, no fragment, no control characters, no
        host that only begins like this machine.
        """
        if address in self.redirects:
            return True
        found = _THIS_MACHINE.fullmatch(address) if self.public else None
        return found is not None and int(found[1] or 80) <= 65_535


_CHARACTER = r"(?:[A-Za-z0-9\-._~!$&'()*+,;=:@/]|%[0-9A-Fa-f]{2})"
_THIS_MACHINE = re.compile(
    rf"http://(?:127\.0\.0\.1|\[::1\]|localhost)(?::([1-9][0-9]{{0,4}}))?(?:/{_CHARACTER}*)?(?:\?(?:{_CHARACTER}|\?)*)?"
)


class Profile(msgspec.Struct, frozen=True):
    """One service's way of signing in.

    `always` are scopes that every token has. `strict` says that a scope that does not exist is an error. `rotates` says that
    a refresh token is good for one use. `default_response_type` is what an application means that names none, None where it
    must name one. `code_lifetime` is in seconds. The prefixes begin every token, so that a minted one is known by its looks.
    """

    key: str
    title: str
    clients: Mapping[str, OAuthClient]
    always: tuple[str, ...]
    strict: bool
    rotates: bool
    default_response_type: str | None
    code_lifetime: int
    access_prefix: str
    refresh_prefix: str


_AT_HOME = ("http://127.0.0.1:8211/callback", "http://[::1]:8211/callback", "http://localhost:8211/callback")
_CLASSIC = Lifetimes(30 * DAY, 210 * DAY, 3 * _YEAR)
_SCOPED = Lifetimes(1 * DAY, 30 * DAY, 1 * _YEAR)

_CLASSIC_SCOPES = {"read": "Read everything in the account", "write": "Read and change everything in the account"}
_SCOPED_SCOPES = {
    "escalation_policies.read": "Read escalation policies",
    "incidents.read": "Read incidents and their log",
    "oncalls.read": "Read who is on call",
    "schedules.read": "Read schedules",
    "services.read": "Read services",
    "teams.read": "Read teams and their members",
    "users.read": "Read users",
}
_CRM_SCOPES = {
    "oauth": "Know who signed in",
    "settings.users.read": "Read users and roles",
    "crm.objects.users.read": "Read users and roles",
    "settings.users.teams.read": "Read teams",
    "settings.users.write": "Add, change and remove users",
    "crm.objects.users.write": "Add, change and remove users",
    "billing-write": "Give out paid seats",
}


def _by_id(*clients: OAuthClient) -> Mapping[str, OAuthClient]:
    return {client.id: client for client in clients}


PROFILES: Mapping[str, Profile] = {
    INCIDENTS: Profile(
        key=INCIDENTS,
        title="incidents",
        clients=_by_id(
            OAuthClient("callboard-terminal", "Callboard", None, (), _CLASSIC_SCOPES, _CLASSIC, needs_pkce=True),
            OAuthClient(
                "fernway-desk",
                "Fernway Desk",
                "sandbox-secret-of-fernway-desk",
                (*_AT_HOME, "https://desk.fernway.example/signed-in"),
                _CLASSIC_SCOPES,
                _CLASSIC,
                needs_pkce=False,
            ),
            OAuthClient(
                "fernway-reports",
                "Fernway Reports",
                "sandbox-secret-of-fernway-reports",
                (*_AT_HOME, "https://reports.fernway.example/signed-in"),
                _SCOPED_SCOPES,
                _SCOPED,
                needs_pkce=True,
                acts_alone=True,
            ),
        ),
        always=("openid",),
        strict=False,
        rotates=True,
        default_response_type=None,
        code_lifetime=30,
        access_prefix="pdus+_0SANDBX_",
        refresh_prefix="pdus+_1SANDBX_",
    ),
    CRM: Profile(
        key=CRM,
        title="CRM",
        clients=_by_id(
            OAuthClient(
                "callboard-crm",
                "Callboard",
                "sandbox-secret-of-callboard-crm",
                (*_AT_HOME, "https://callboard.fernway.example/signed-in"),
                _CRM_SCOPES,
                Lifetimes(30 * MINUTE, None, None),
                needs_pkce=False,
            ),
        ),
        always=(),
        strict=True,
        rotates=False,
        default_response_type="code",
        code_lifetime=10 * MINUTE,
        access_prefix="sandbox-oauth-",
        refresh_prefix="sandbox-refresh-",
    ),
}


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
        return tuple(sorted({*profile.always, *(asked if asked <= known else ())}))
    if not asked:
        raise SignInError("invalid_scope", "scope is missing. Name at least one scope.")
    if not asked <= known:
        raise SignInError(
            "invalid_scope", f"scope names what this application cannot have. It can have: {' '.join(sorted(known))}."
        )
    return tuple(sorted(asked | (_read(optional) & known)))


def narrowed(scopes: tuple[str, ...], scope: str | None) -> tuple[str, ...]:
    """The scopes of a refreshed access token: as before, or the part of them that is asked for (RFC 6749, section 6).

    Raises:
        SignInError: invalid_scope, more is asked for than was granted.
    """
    if scope is None:
        return scopes
    asked = _read(scope)
    if not asked <= set(scopes):
        raise SignInError("invalid_scope", "scope names more than was granted.")
    return tuple(sorted(asked))


def of_application(client: OAuthClient, account: str, scope: str | None) -> tuple[str, ...]:
    """The scopes of a token that an application gets for itself: `account` must be among them; unknown ones are left out.

    Raises:
        SignInError: invalid_scope, the account was not named.
    """
    asked = _read(scope)
    if account not in asked:
        raise SignInError("invalid_scope", f"scope must name the account: {account}.")
    return tuple(sorted(asked & {account, *client.scopes}))


def _read(text: str | None) -> set[str]:
    return set((text or "").split(" ")) - {""}
