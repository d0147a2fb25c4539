"""How signing in differs from service to service, and the applications that are registered: two tables.

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

from collections.abc import Mapping
from types import MappingProxyType

import msgspec

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

_CLASSIC_SCOPES = MappingProxyType(
    {"read": "Read everything in the account", "write": "Read and change everything in the account"}
)
_SCOPED_SCOPES = MappingProxyType(
    {
        "escalation_policies.read": "Read escalation policies",
        "incidents.read": "Read incidents and their log",
        "oncalls.read": "Read who is on call",
        "schedules.read": "Read schedules",
        "services.read": "Read services",
        "teams.read": "Read teams and their members",
        "users.read": "Read users",
    }
)
_CRM_SCOPES = MappingProxyType(
    {
        "oauth": "Know who signed in",
        "settings.users.read": "Read users and roles",
        "crm.objects.users.read": "Read users and roles",
        "settings.users.teams.read": "Read teams",
        "settings.users.write": "Add, change and remove users",
        "crm.objects.users.write": "Add, change and remove users",
        "billing-write": "Give out paid seats",
    }
)


def _by_id(*clients: OAuthClient) -> Mapping[str, OAuthClient]:
    return MappingProxyType({client.id: client for client in clients})


PROFILES: Mapping[str, Profile] = MappingProxyType(
    {
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
)
