"""Connections: named targets with credentials, made from what services declare.

`sandbox` always exists and needs nothing; it serves every toolkit whose service the sandbox has. Each toolkit whose
credential is in the environment has its own connection, and so has each that needs no credential. Services declare the
variables: for every way to authenticate, and for every base URL, for example that of a sandbox served on a port.

Also here: which addresses credentials may be sent to, and the errors of settings that name no account, and of credentials that
cannot be used.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from ipaddress import IPv6Address
from typing import Literal
from urllib.parse import urlsplit

import msgspec
from msgspec.structs import replace as with_fields

from registry.accounts.secrets import MASK, Secret, basic_proof, redacted
from registry.catalog.folders import toolkit_folders
from registry.catalog.loader import load
from registry.catalog.model import Tool
from registry.catalog.service import LOOPBACK, Authentication, Service


class ConnectionSettingsError(ValueError):
    """Settings without a usable connection; the text names the setting and what to do."""


class CredentialProblem(Exception):
    """A credential that cannot be used now; no request was sent with it.

    Args:
        title: what happened, in a few words.
        cause: why, in a sentence.
        way_out: what to do now, in a sentence.
    """

    def __init__(self, title: str, cause: str, way_out: str) -> None:
        super().__init__(f"{title}. {cause} {way_out}")
        self.title = title
        self.cause = cause
        self.way_out = way_out


NOT_FOLLOWED = "location-not-followed"
"""The header that holds where a redirect leads: the HTTP client renames ``Location``, and nothing follows it by itself."""

_LABEL = r"(?!-)[\w-]{1,63}(?<!-)"
_HOST = rf"(?:\[(?P<ipv6>[0-9a-f:.]{{2,45}})\]|(?=[\w.-]{{1,253}}(?:[:/]|$)){_LABEL}(?:\.{_LABEL})*\.?)"
_ADDRESS = re.compile(rf"https?://{_HOST}(?::(?P<port>[0-9]{{1,5}}))?(?:/[\w.~!$&'()*+,;=:@%/-]*)?", re.IGNORECASE)


def is_loopback(base: str) -> bool:
    """Whether an address is on this machine."""
    return (urlsplit(base).hostname or "") in LOOPBACK


def base_url(name: str, text: str, default: str) -> str:
    """A base URL from a setting. Credentials are sent only over https, or stay on this machine.

    Raises:
        ConnectionSettingsError: it is not a base URL; the text names the setting.
    """
    text = text.strip().rstrip("/")
    if not text:
        return default
    if not is_base_url(text):
        raise ConnectionSettingsError(f"{name} must be a URL such as {default}; got {without_secrets(text)}")
    if urlsplit(text).scheme == "http" and not is_loopback(text):
        got = without_secrets(text)
        raise ConnectionSettingsError(f"{name} must start with https:// (plain http is for localhost only); got {got}")
    return text


def is_base_url(text: str) -> bool:
    """Whether requests can be sent to an address: http or https, a host, a valid port; no user, no query."""
    found = _ADDRESS.fullmatch(text)
    if found is None or not 0 < int(found["port"] or 443) < 65_536:
        return False
    try:
        return found["ipv6"] is None or bool(IPv6Address(found["ipv6"]))
    except ValueError:
        return False


def without_secrets(address: str) -> str:
    """An address for an error message: user name and password, query and fragment are masked."""
    start, at, rest = address.rpartition("@")
    if at:
        scheme, slashes, _ = start.partition("//")
        address = f"{scheme}{slashes}{MASK}@{rest}" if slashes else f"{MASK}@{rest}"
    for sign in "?#":
        address, found, _ = address.partition(sign)
        address += f"{found}{MASK}" if found else ""
    return repr(address)


Mode = Literal["sandbox", "test", "live"]
AccountRule = Literal["confirm", "typed-id", "read-only"]
"""The rule of an account: ``confirm`` as in `registry.accounts.policy`; ``typed-id``: deleting test data requires the id as
well; ``read-only``: no changes at all."""

SANDBOX = "sandbox"
SANDBOX_URL = "http://sandbox.callboard"

Typing = Literal["id", "last six", "name"]
"""What confirms a deletion when typed: the whole id only, or also its last six characters, or also the object's name."""

CONFIRM_BY = "CALLBOARD_CONFIRM_BY"
"""The environment variable that says what to type to confirm a deletion."""

_TYPINGS: Mapping[str, Typing] = {"id": "id", "last-six": "last six", "name": "name"}
_PATH = re.compile(r"(/[A-Za-z0-9_-][A-Za-z0-9._-]*)+")


@dataclass(frozen=True, slots=True)
class Endpoint:
    """How to reach one toolkit's service.

    Attributes:
        service: the service's declarations.
        addresses: its base URLs by host, without a slash at the end.
        authentication: the way to authenticate.
        credential: the key, token or password.
        mode: which data the calls reach: the sandbox, test data or live data.
        user: the user's name, for Basic authentication.
        moved: (path prefix in the catalogue, path prefix at this address) pairs, if the two differ.
        public: whether the credential is the sandbox's, which is public.
        needs: the environment variables that must be set before anything can be sent, in words; empty if none is missing.
        own_headers: headers that its account adds to the service's: (name, value) pairs.
        source: where its credential comes from, in words; empty for an environment variable.
        others: the same with the credentials of other ways to authenticate, for tools that take one of those instead.
        known: every credential of this user, also of other services: a pasted credential may appear in any response.
    """

    service: Service
    addresses: Mapping[str, str]
    authentication: Authentication
    credential: Secret
    mode: Mode
    user: str = ""
    moved: tuple[tuple[str, str], ...] = ()
    public: bool = False
    needs: str = ""
    own_headers: tuple[tuple[str, str], ...] = ()
    source: str = ""
    others: "tuple[Endpoint, ...]" = field(default=(), repr=False)
    known: tuple[Secret, ...] = field(default=(), repr=False)

    @property
    def base_url(self) -> str:
        """The address that most tools' paths are appended to."""
        return self.addresses["api"]

    @property
    def is_anonymous(self) -> bool:
        """Whether calls carry no credential: it is nobody's account, and everybody reaches the same."""
        return self.authentication.kind == "none"

    @property
    def variable(self) -> str | None:
        """The environment variable with the credential; None if the credential is public, or there is none."""
        return None if self.public else self.authentication.variable

    @property
    def identity(self) -> str:
        """A stable identity of this credential, which does not change when it is renewed; secret."""
        secret, way = self.credential.identity, self.authentication
        starts = {"header": way.scheme, "cookie": f"{way.name}=", "query": ""}
        if way.kind == "basic":
            return f"Basic {basic_proof(self.user, secret)}"
        return starts[way.kind] + secret if way.kind in starts else ""

    def carriers(self, *, masked: bool = False) -> list[tuple[str, str, str]]:
        """What carries the credentials: kind (``header``, ``cookie`` or ``query``), name and value of each."""
        way, secret = self.authentication, self.credential.reveal()
        assert way.token_url is None or self.credential.renews, "a client's secret is no token"
        given = [*way.parts(secret), *([""] * len(way.beside))]  # missing ones are empty
        texts = [MASK if masked else text for text in given[: 1 + len(way.beside)]]
        if way.kind == "basic":
            own = [("header", "Authorization", f"Basic {MASK if masked else basic_proof(self.user, texts[0])}")]
        else:
            own = [(way.kind, way.name, (way.scheme if way.kind == "header" else "") + texts[0])] if way.kind != "none" else []
        return [*own, *((one.kind, one.name, one.scheme + text) for one, text in zip(way.beside, texts[1:], strict=True))]

    def headers(self, *, masked: bool = False) -> dict[str, str]:
        """The headers of every request to this service; for display, with the credential redacted."""
        carriers = self.carriers(masked=masked)
        headers = {**self.service.request.headers, **dict(self.own_headers)}
        headers |= {name: value for kind, name, value in carriers if kind == "header"}
        if cookies := [f"{name}={value}" for kind, name, value in carriers if kind == "cookie"]:
            headers["Cookie"] = "; ".join(cookies)
        return headers

    def hide(self, text: bytes, also: Iterable[str] = ()) -> bytes:
        """A text with every occurrence of a secret credential, or of another secret, masked."""
        own = () if self.public else (self.credential,)
        return redacted(text, [*(one for credential in self.known or own for one in credential.texts), *also])

    @property
    def known_live(self) -> bool:
        """Whether the credential itself says that it is for live data; one that does not say so counts as live as well."""
        return self.mode == "live" and self.credential.reveal().startswith(self.service.modes.live)


class Connection(msgspec.Struct, frozen=True):
    """A named target: which toolkits it serves, and how to reach each.

    Attributes:
        name: its name in ``--account`` and in lists.
        title: its name in a sentence.
        endpoints: how to reach each toolkit's service.
        rule: what is allowed there.
        default: whether calls of its toolkits go there if no account is named.
        colour: the colour of its sign on screen: a hue of the theme, or empty.
    """

    name: str
    title: str
    endpoints: Mapping[str, Endpoint]
    rule: AccountRule = "confirm"
    default: bool = False
    colour: str = ""

    def endpoint(self, toolkit: str) -> Endpoint:
        """How to reach a toolkit's service; `ConnectionSettingsError` if this connection does not serve it."""
        if toolkit not in self.endpoints:
            served = ", ".join(self.endpoints)
            raise ConnectionSettingsError(f"the account {self.name!r} serves {served}, not {toolkit}")
        return self.endpoints[toolkit]

    def endpoint_for(self, tool: Tool) -> Endpoint:
        """How calls of one tool reach its service: with a credential that the tool takes, and with no other.

        Raises:
            ConnectionSettingsError: this connection does not serve the tool's toolkit.
        """
        found, takes = self.endpoint(tool.toolkit), tool.security
        if takes is None or found.public:
            return found
        for one in (found, *found.others):
            if one.authentication.title in takes and not one.needs:
                return one
        if not takes or "" in takes:
            return replace(found, authentication=Authentication(kind="none"), credential=Secret(""), user="", needs="")
        ways = [way for way in found.service.authentication if way.title in takes]
        return replace(found, needs=", or ".join(" and ".join(way.variables) for way in ways))


def sandbox(known: Mapping[str, Service] | None = None) -> Connection:
    """The embedded services, of all toolkits or of those given. Their credentials are public: they work nowhere else."""
    here = {}
    for toolkit, service in (load().toolkits if known is None else known).items():
        if (api := service.hosts["api"].sandbox) is not None:
            way = next((way for way in service.authentication if way.sandbox is not None), service.authentication[0])
            addresses = {name: f"{SANDBOX_URL}{host.sandbox or api}" for name, host in service.hosts.items()}
            here[toolkit] = Endpoint(service, addresses, way, Secret(way.sandbox or ""), "sandbox", user=SANDBOX, public=True)
    return Connection(SANDBOX, "Sandbox", here)


def connections(
    environment: Mapping[str, str], own: Callable[[Mapping[str, Connection]], Mapping[str, Connection]] = lambda _: {}
) -> dict[str, Connection]:
    """The sandbox, a connection for each toolkit whose credential is in the environment, and those that `own` adds to them.

    By name; each redacts the credentials of all in what it receives.

    Raises:
        ConnectionSettingsError: a setting cannot be used.
    """
    all_of_them = load(toolkit_folders(environment)).toolkits
    found = {SANDBOX: sandbox(all_of_them)}
    for service in all_of_them.values():
        if (account := account_in(service, environment)) is not None:
            found[service.name] = account
    found |= own(found)
    all_ways = [each for connection in found.values() for one in connection.endpoints.values() for each in (one, *one.others)]
    known = tuple(one.credential for one in all_ways if not one.public)
    for name, connection in found.items():
        endpoints = {}
        for toolkit, one in connection.endpoints.items():
            others = tuple(replace(other, known=known) for other in one.others)
            endpoints[toolkit] = replace(one, known=known, others=others)
        found[name] = with_fields(connection, endpoints=endpoints)
    return found


def account_in(service: Service, environment: Mapping[str, str]) -> Connection | None:
    """The account that the environment makes: the first way to authenticate whose variables are set, with the others beside it.

    Raises:
        ConnectionSettingsError: a setting cannot be used.
    """
    made: list[Endpoint] = []
    for way in service.authentication:
        values = {name: environment.get(name, "").strip() for name in way.variables}
        if all(values.values()):
            made.append(_endpoint(service, way, values, environment))
    return _account(service, replace(made[0], others=tuple(made[1:]))) if made else None


def needed_account(service: Service) -> Connection:
    """An account that says what it needs, and that sends nothing."""
    addresses = {name: host.usual for name, host in service.hosts.items()}
    return _account(service, Endpoint(service, addresses, service.authentication[0], Secret(""), "live", needs=service.needs))


def _account(service: Service, endpoint: Endpoint) -> Connection:
    return Connection(service.name, service.account or f"{service.title} account", {service.toolkit: endpoint})


def _endpoint(service: Service, way: Authentication, values: Mapping[str, str], environment: Mapping[str, str]) -> Endpoint:
    """How to reach a service with the settings in the environment."""
    addresses = {
        name: base_url(host.variable, environment.get(host.variable, ""), host.usual) if host.variable else host.usual
        for name, host in service.hosts.items()
    }
    for name in way.variables:
        refuse_odd(name, values[name], blanks=way.kind == "basic")
    text, user = values.get(way.variable or "", ""), values.get(way.user_variable or "", "")
    if way.beside:
        text = " ".join([text, *(values[one.variable] for one in way.beside)])
    if ":" in user:
        raise ConnectionSettingsError(
            f"{way.user_variable} contains a colon, which a user name cannot have with Basic authentication"
        )
    credential = Secret(text, *way.parts(text))
    moved = []
    for variable, prefix in service.request.moved.items():
        if path := environment.get(variable, "").strip().rstrip("/"):
            if not _PATH.fullmatch(path):
                raise ConnectionSettingsError(f"{variable} must be a path such as {prefix}; got {path!r}")
            moved.append((prefix, path))
    return Endpoint(service, addresses, way, credential, mode_of(service, addresses["api"], text), user, tuple(moved))


def mode_of(service: Service, base: str, credential: str) -> Mode:
    """Which data a connection reaches: a sandbox on this machine is recognized by its public credentials."""
    host, modes = urlsplit(base).hostname or "", service.modes
    public = {SANDBOX, *(way.sandbox for way in service.authentication)} - {None}
    if service.in_sandbox and credential in public and host in LOOPBACK:
        return "sandbox"
    if credential.startswith(modes.live):
        return "live"
    if credential.startswith(modes.test):
        return "test"
    return "test" if any(host == one or host.endswith("." + one) for one in modes.test_hosts) else "live"


def refuse_odd(name: str, text: str, *, blanks: bool) -> None:
    """Check that a text can be a credential.

    Raises:
        ConnectionSettingsError: it cannot. The message names the setting and contains no part of its value.
    """
    if not text.isascii() or not text.isprintable() or (" " in text and not blanks):
        raise ConnectionSettingsError(
            f"{name} contains characters that a credential cannot have (space, line break or non-ASCII); copy it again"
        )


def typings(environment: Mapping[str, str]) -> dict[str, Typing]:
    """What to type to confirm a deletion, by account ("" means all others); `ConnectionSettingsError` if it is invalid."""
    found: dict[str, Typing] = {}
    for part in filter(None, (part.strip() for part in environment.get(CONFIRM_BY, "").split(","))):
        account, equals, how = part.rpartition("=")
        if how.strip() not in _TYPINGS or (equals and not account.strip()):
            takes = f"must be {', '.join(_TYPINGS)}, for all accounts or for one, as in payments=last-six"
            raise ConnectionSettingsError(f"{CONFIRM_BY} {takes}; got {part!r}")
        found[account.strip()] = _TYPINGS[how.strip()]
    return found
