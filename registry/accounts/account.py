"""An account as a value, and the rules for its fields. It never contains a secret, only the place where the secret is.

Accounts are read from ``config.toml`` at every start, before the first frame and before a call. So the rules are plain Python:
pydantic loads for longer than a call takes.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Literal, cast, get_args

import msgspec

from registry.accounts.connection import SANDBOX, AccountRule, ConnectionSettingsError, Mode, base_url, is_loopback
from registry.catalog.service import Authentication, Service

Colour = Literal["", "violet", "orange", "teal"]
Place = Literal["keyring", "env", "command", "value", "file", "none"]

SIGN_IN = "sign-in"
"""The `way` of an account that is signed in to: its secret is an access token and a refresh token, as JSON."""

LONGEST_NAME = 40
_ID = re.compile(r"[a-z0-9][a-z0-9_-]{0,79}")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}")
_AT = {
    "keyring": _ID,
    "file": _ID,
    "env": _VARIABLE,
    "command": re.compile(".{1,1000}"),
    "value": re.compile("[^#]{1,500}#.{1,500}"),
    "none": re.compile(""),
}
_HEADER_VALUE = re.compile(r"[\x21-\x7e](?:[\x20-\x7e]{0,198}[\x21-\x7e])?")


class AccountError(ValueError):
    """An account that cannot be used or written. The text names the field, the rule and what to do.

    Attributes:
        field: the field at fault; may be empty.
    """

    def __init__(self, words: str, field: str = "") -> None:
        super().__init__(words)
        self.field = field


class SecretPlace(msgspec.Struct, frozen=True):
    """Where a secret is kept: ``keyring:ID``, ``env:NAME``, ``command:WORDS``, ``value:FILE#PATH``, ``file:ID``, or ``none:``.

    Attributes:
        kind: which store.
        at: the entry in the store, the variable's name, the command, or a value in another program's file.
    """

    kind: Place
    at: str = ""

    @classmethod
    def of(cls, text: str) -> "SecretPlace":
        """The place in a text; `AccountError` if it is none."""
        kind, colon, at = text.partition(":")
        at = at.strip()
        if not colon or kind not in _AT or not _AT[kind].fullmatch(at) or not at.isprintable():
            raise AccountError(
                "secret must be keyring:ID, env:NAME, command:WORDS, value:FILE#PATH or file:ID; got another text", "secret"
            )
        return cls(cast(Place, kind), at)

    def __str__(self) -> str:
        return f"{self.kind}:{self.at}"

    @property
    def is_ours(self) -> bool:
        """Whether the program writes and deletes the secret; the others belong to the user."""
        return self.kind in ("keyring", "file")

    @property
    def words(self) -> str:
        """The place in words, for users."""
        return {
            "keyring": "the system keyring",
            "env": f"the environment variable {self.at}",
            "command": f"the command {self.at.partition(' ')[0]}",
            "value": f"the file {self.at.partition('#')[0]}",
            "file": "a file that only you can read (not encrypted)",
            "none": "nowhere; no credential is needed",
        }[self.kind]


class Account(msgspec.Struct, frozen=True, kw_only=True):
    """A named account at a service.

    Attributes:
        name: unique among accounts, ignoring case.
        service: the service's name, as in ``service.json``.
        secret: where its secret is stored.
        way: the title of the way to authenticate, as the service declares it, or `SIGN_IN`; empty for the service's first way.
        user: the user name, for a way that needs one.
        mode: ``test`` or ``live``; data not known to be test data counts as live. ``sandbox`` is a sandbox served on this
            machine, with its public credential.
        rule: what is allowed: ``confirm`` (as everywhere), ``typed-id`` (deleting asks for the id in test data too),
            ``read-only`` (nothing is changed).
        colour: the colour of its sign on screen; empty for the text colour.
        default: whether its service's calls go there when no account is named.
        region: the name of one of the service's regions; empty for the usual one.
        base_url: replaces the service's own address; empty for that one.
        version: the value of the service's version header; empty to send none.
        on_behalf_of: the value of the service's account header; empty to send none.
        client_id: the OAuth client that the user has registered at the service, for `SIGN_IN`; otherwise empty.
    """

    name: str
    service: str
    secret: SecretPlace
    way: str = ""
    user: str = ""
    mode: Mode = "live"
    rule: AccountRule = "confirm"
    colour: Colour = ""
    default: bool = False
    region: str = ""
    base_url: str = ""
    version: str = ""
    on_behalf_of: str = ""
    client_id: str = ""

    @property
    def signs_in(self) -> bool:
        """Whether its secret comes from a sign-in."""
        return self.way == SIGN_IN

    def authentication(self, service: Service) -> Authentication:
        """The way to authenticate its requests; `AccountError` if the service has no such way."""
        for one in service.authentication:
            if one.sign_in is not None if self.signs_in else self.way in ("", one.title):
                return one
        if self.signs_in:
            raise AccountError(f"way: nobody can sign in to {service.title}; paste a credential", "way")
        ways = ", ".join(f'"{one.title}"' for one in service.authentication if one.title)
        raise AccountError(f"way: {service.title} has no {self.way!r}. It has {ways}.", "way")

    def properties(self) -> dict[str, str | bool]:
        """Its properties as in ``config.toml``, without those that have their default."""
        found: dict[str, str | bool] = {"service": self.service, "secret": str(self.secret), "mode": self.mode}
        others = {name: getattr(self, name) for name in _FIELDS[2:]}
        return found | {name: value for name, value in others.items() if value and (name, value) != ("rule", "confirm")}


def account_of(name: str, properties: Any) -> Account:
    """The account in a section of ``config.toml``, or `AccountError`. The rules of its service are checked by `checked`."""
    check_name(name)
    if not isinstance(properties, Mapping):
        raise AccountError(f'accounts."{name}" must be a section', "name")
    for key, value in properties.items():
        if key not in _FIELDS:
            raise AccountError(f"there is no field {key!r}; there are {', '.join(_FIELDS)}", str(key))
        if not isinstance(value, bool if key == "default" else str):
            raise AccountError(f"{key} must be {'true or false' if key == 'default' else 'a text in quotes'}", key)
    for key in ("service", "secret"):
        if not properties.get(key):
            raise AccountError(f"{key} is missing", key)
    values = dict(properties)
    if values.get("rule") == "approve":  # of earlier versions; see `registry.files.toml_text`
        values["rule"] = "typed-id"
    one_of = {"mode": get_args(Mode), "rule": get_args(AccountRule), "colour": get_args(Colour)}
    for key, known in one_of.items():
        if key in values and values[key] not in known:
            raise AccountError(f"{key} must be one of {', '.join(filter(None, known))}; got {values[key]!r}", key)
    return Account(name=name, **(values | {"secret": SecretPlace.of(values["secret"])}))


_FIELDS = Account.__struct_fields__[1:]


def check_name(name: str) -> None:
    """Raise `AccountError` if no account can have this name."""
    if not name or len(name) > LONGEST_NAME or not name.isprintable() or name != name.strip():
        rule = f"1 to {LONGEST_NAME} printable characters, without spaces at its ends"
        raise AccountError(f"name must have {rule}; got {name[:60]!r}", "name")
    if name[0] in "-" or set(name) & set('"\\/'):
        raise AccountError(f'name must not begin with - or contain ", / or \\; got {name!r}', "name")
    if name.casefold() == SANDBOX:
        raise AccountError(f"name: {SANDBOX} is the built-in one. Choose another name.", "name")


def checked(account: Account, service: Service) -> Account:
    """The account, if it fits its service; `AccountError` names the field, the rule and what to do."""
    for wrong, field, words in _rules(account, service):
        if wrong:
            raise AccountError(words, field)
    return account


def _rules(account: Account, service: Service) -> Iterator[tuple[bool, str, str]]:
    """The rules in order: whether each is broken, its field, and the rule in words."""
    title, id_, user = service.title, account.client_id, account.user
    kept = "secret: what a sign-in gives is kept in the keyring or a file"
    yield account.signs_in and not account.secret.is_ours, "secret", kept
    yield account.signs_in != bool(id_), "client_id", "client_id is needed to sign in with a browser, and only then"
    printable = "must be printable ASCII, at most 200 characters"
    yield bool(id_) and not _HEADER_VALUE.fullmatch(id_), "client_id", f"client_id {printable}"
    way = account.authentication(service)
    needs = "needs no credential: secret must be none:" if way.kind == "none" else "needs a credential"
    yield (way.kind == "none") != (account.secret.kind == "none"), "secret", f"secret: {title} {needs}"
    needs_user = "user is needed for a user name with a password or a client with its id, and only then"
    yield bool(user) != (way.user_variable is not None), "user", needs_user
    odd = "user contains a colon or a control character, which a user name cannot have"
    yield ":" in user or not user.isprintable(), "user", odd
    regions = service.hosts["api"].regions
    known = f"it has {', '.join(regions)}" if regions else "it has none"
    unknown = bool(account.region) and account.region not in regions
    yield unknown, "region", f"region: {title} has no region {account.region!r}; {known}"
    both = "base_url and region cannot both be set; leave one out"
    yield bool(account.region and account.base_url), "base_url", both
    try:
        base_url("base_url", account.base_url, service.hosts["api"].usual)
    except ConnectionSettingsError as error:
        yield True, "base_url", str(error)
    elsewhere = account.mode == "sandbox" and not is_loopback(address_of(account, service))
    yield elsewhere, "mode", "mode: sandbox is for a sandbox on this machine; use test or live"
    headers = {"version": service.request.version_header, "on_behalf_of": service.request.account_header}
    for field, header in headers.items():
        value = getattr(account, field)
        yield bool(value) and header is None, field, f"{field}: {title} has no such header; leave it out"
        yield bool(value) and not _HEADER_VALUE.fullmatch(value), field, f"{field} {printable}"


def address_of(account: Account, service: Service, host: str = "api") -> str:
    """The base URL of one of the service's hosts.

    An address of the account's own replaces those of all hosts, so that its credential goes nowhere else: if it ends in the
    host's path on a sandbox, the other hosts use their paths beside it.
    """
    there = service.hosts[host]
    if not account.base_url:
        return there.regions.get(account.region, there.usual)
    base, own = account.base_url.strip().rstrip("/"), service.hosts["api"].sandbox
    if there.sandbox and own and base.endswith(own):
        return base.removesuffix(own) + there.sandbox
    return base


def client_place(place: SecretPlace) -> SecretPlace:
    """Where the client's secret is: next to the tokens of its account."""
    return SecretPlace(place.kind, f"{place.at}-client")
