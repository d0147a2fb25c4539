"""The records of a service: everything that differs between services, from the ``service.json`` of a toolkit's folder.

Code that makes requests, reads responses or shows a service uses these records, and names no service.
"""

import dataclasses
from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any, Literal, get_type_hints

import msgspec

LOOPBACK = ("127.0.0.1", "localhost", "::1")
"""The names of this machine, to which plain http may be used."""


class Declared(msgspec.Struct, frozen=True, kw_only=True):
    """A value in a file: fast to define and to read with msgspec, and pydantic can check it, with all mistakes at once."""

    @classmethod
    def __get_pydantic_core_schema__(cls, _source: Any, handler: Any) -> Any:
        """The pydantic schema for it: that of a dataclass with the same fields."""
        from pydantic_core import core_schema  # only to check toolkits from elsewhere; every call would load it

        def made(checked: Any) -> Declared:
            return cls(**{name: getattr(checked, name) for name in cls.__struct_fields__})

        return core_schema.no_info_after_validator_function(made, handler.generate_schema(_as_dataclass(cls)))


@cache
def _as_dataclass(cls: type[Declared]) -> type:
    """Strict: no conversions, no unknown keys."""
    from pydantic import Field

    hints = get_type_hints(cls)
    members: list[tuple[str, Any, Any]] = []
    for one in msgspec.structs.fields(cls):
        if one.default_factory is not msgspec.NODEFAULT:
            value = dataclasses.field(default_factory=one.default_factory)
        else:
            value = dataclasses.field() if one.required else dataclasses.field(default=one.default)
        members.append((one.name, Annotated[hints[one.name], Field(alias=one.encode_name)], value))
    config = {"strict": True, "extra": "forbid"}
    named = {"__doc__": cls.__doc__, "__module__": cls.__module__, "__pydantic_config__": config}
    return dataclasses.make_dataclass(cls.__name__, members, namespace=named, kw_only=True)


class Host(Declared, frozen=True, kw_only=True):
    """One of a service's base URLs.

    Attributes:
        usual: the address that tools' paths are appended to, without a slash at the end.
        variable: the environment variable that overrides it.
        sandbox: its path on the sandbox; None if the sandbox does not have this service.
        regions: its addresses in other regions, by the region's name: ``eu``.
    """

    usual: str
    variable: str | None = None
    sandbox: str | None = None
    regions: Mapping[str, str] = msgspec.field(default_factory=dict)


class SignInAddresses(Declared, frozen=True, kw_only=True):
    """The addresses for signing in, or their paths on the sandbox.

    Attributes:
        authorize: the page that asks the user.
        token: returns tokens for a code, and for a refresh token.
        revoke: ends a token (RFC 7009); None if the service does not offer it.
    """

    authorize: str
    token: str
    revoke: str | None = None


class SignIn(Declared, frozen=True, kw_only=True):
    """Signing in with a browser: OAuth 2.0, an authorization code sent to this machine (RFC 6749, 8252).

    Attributes:
        addresses: the service's addresses; https.
        sandbox: the paths on the sandbox; None if there is no sign-in there.
        scopes: the requested scopes, unless others are chosen.
        scopes_without_secret: the same for a client without a secret; empty if every client needs its secret.
        includes: a wide scope → the scopes that it includes.
        always: scopes that every token has and that allow nothing by themselves.
        parameters: further parameters of the page's address, such as ``access_type``.
        pkce: whether a challenge (RFC 7636, S256) is sent.
        secret_in: where the client's secret is sent: in the ``body``, or in a ``header`` (Basic).
        issuer: the required ``iss`` in the redirect (RFC 9207); None if the service does not send it.
        redirect_host: the host of the redirect address; ``localhost`` if the service refuses IP addresses.
        redirect_path: its path.
        ports: its port, the first free one; each must be registered.
        code_lifetime: seconds for which a code is valid; None if the service does not say.
        rotates: whether a refresh token is valid for one use, and each use returns a new one.
        register: the page to register a client; https.
    """

    addresses: SignInAddresses
    sandbox: SignInAddresses | None = None
    scopes: tuple[str, ...]
    scopes_without_secret: tuple[str, ...] = ()
    includes: Mapping[str, tuple[str, ...]] = msgspec.field(default_factory=dict)
    always: tuple[str, ...] = ()
    parameters: Mapping[str, str] = msgspec.field(default_factory=dict)
    pkce: bool = True
    secret_in: Literal["body", "header"] = "body"
    issuer: str | None = None
    redirect_host: Literal["127.0.0.1", "localhost"] = "127.0.0.1"
    redirect_path: str = "/callback"
    ports: tuple[int, ...] = (8211,)
    code_lifetime: int | None = None
    rotates: bool = False
    register: str | None = None


class Beside(Declared, frozen=True, kw_only=True):
    """An additional credential that every request carries.

    Attributes:
        kind: where it is sent.
        name: the header, query pair or cookie that carries it.
        variable: the environment variable that contains it.
        scheme: the text before it in its header.
    """

    kind: Literal["header", "query", "cookie"]
    name: str
    variable: str
    scheme: str = ""


class Authentication(Declared, frozen=True, kw_only=True):
    """One way to authenticate.

    Attributes:
        kind: ``header`` (the credential in a header, after `scheme`), ``basic`` (user and password), ``query``, ``cookie``, or
            ``none``.
        title: its name in a sentence: ``an API key``.
        name: the header, query pair or cookie that carries it.
        scheme: the text before the credential in its header: ``Bearer ``.
        variable: the environment variable with the credential; the password of ``basic``, the secret of a client.
        user_variable: the environment variable with the user name, for ``basic``, or with the id of a client.
        token_url: gives a client a token for its id and secret (RFC 6749, 4.4), which requests then carry; None without.
        sandbox: the public credential that the sandbox accepts.
        scopes: all OAuth scopes that its tools need.
        note: a note for the user.
        sign_in: how users get such a credential with a browser; None if they cannot.
        beside: further credentials that are sent at the same time; an account's secret is all of them, in this order,
            separated by spaces.
    """

    kind: Literal["header", "basic", "query", "cookie", "none"]
    title: str = ""
    name: str = "Authorization"
    scheme: str = "Bearer "
    variable: str | None = None
    user_variable: str | None = None
    token_url: str | None = None
    sandbox: str | None = None
    scopes: tuple[str, ...] = ()
    note: str = ""
    sign_in: SignIn | None = None
    beside: tuple[Beside, ...] = ()

    @property
    def variables(self) -> tuple[str, ...]:
        """The environment variables that it needs, all of them."""
        own = (self.user_variable, self.variable, *(one.variable for one in self.beside))
        return tuple(name for name in own if name is not None)

    def parts(self, secret: str) -> list[str]:
        """The credentials in an account's secret, in the order of `carriers`; missing ones are left out."""
        return secret.rsplit(" ", len(self.beside)) if self.beside else [secret]

    @property
    def carriers(self) -> tuple[str, ...]:
        """The names of the headers, query pairs and cookies that carry credentials."""
        return (self.name, *(one.name for one in self.beside))


class Modes(Declared, frozen=True, kw_only=True):
    """How to distinguish test credentials from live ones. Data that is not known to be test data counts as live.

    Attributes:
        test: prefixes of credentials for test data.
        live: prefixes of credentials that state that they are for live data.
        test_hosts: hosts with test data only, each including its subdomains.
    """

    test: tuple[str, ...] = ()
    live: tuple[str, ...] = ()
    test_hosts: tuple[str, ...] = ()


class RequestStyle(Declared, frozen=True, kw_only=True):
    """How requests are written.

    Attributes:
        headers: sent with every request: name → value.
        moved: environment variable → the path prefix, in the tools' paths, that its value replaces.
        arrays: how a list is sent in the query: the name repeated, or once with comma-separated values.
        nested: how an object is sent in a query or form: ``name[key]=value``, or as JSON.
        exact: values are sent as given unless a declared rule forbids them: texts with control characters
            and with spaces at their ends. Otherwise, such values are mistakes.
        version_header: the header with which an account selects a version of the API; None if there is none.
        account_header: the header with which an account acts for another one, such as a connected account; None likewise.
    """

    headers: Mapping[str, str] = msgspec.field(default_factory=dict)
    moved: Mapping[str, str] = msgspec.field(default_factory=dict)
    arrays: Literal["repeat", "comma"] = "repeat"
    nested: Literal["brackets", "json"] = "brackets"
    exact: bool = False
    version_header: str | None = None
    account_header: str | None = None


class Identity(Declared, frozen=True, kw_only=True):
    """How to find out whose credential it is: a read without parameters, and where its response says that.

    Attributes:
        path: the path below the service's base URL.
        who: dotted paths to the person or application; the first with a value counts.
        account: dotted paths to the account; the first with a value counts.
    """

    path: str
    who: tuple[str, ...] = ()
    account: tuple[str, ...] = ()


class Paging(Declared, frozen=True, kw_only=True):
    """How the pages of a list follow each other. Fields of a body are dotted paths.

    Attributes:
        style: ``cursor_by_id`` (the ids of the first and last item are the cursors), ``cursor`` (the body holds the next
            cursor), ``offset`` (counted by items), ``page`` (counted by pages), ``link_header`` (RFC 8288, rel="next").
        items: the body's property that holds the items; empty if the body itself is the list. `Returns.items` of a tool
            overrides it.
        more: the boolean property that says whether there are more.
        next: the property that holds the next cursor or page, or the address of the next page.
        total: the property that holds the number of all items.
        total_header: the response header that holds it, by lower-case name.
        position: the property that repeats the offset, for ``offset``.
        size: the property that repeats the size of the page, for ``offset`` and ``page``.
        deepest: the highest sum of offset and limit; None for any number.
        dated: the property with the time by which a tool's window (``since``, ``until``) selects items: what is deeper is then
            reached by a window that begins or ends at the last item.
    """

    style: Literal["cursor_by_id", "cursor", "offset", "page", "link_header"]
    items: str = ""
    more: str | None = None
    next: str | None = None
    total: str | None = None
    total_header: str | None = None
    position: str | None = None
    size: str | None = None
    deepest: int | None = None
    dated: str | None = None


class ErrorBody(Declared, frozen=True, kw_only=True):
    """Where an error body says what went wrong. Each is a list of dotted paths; the first one with a value counts.

    ``[]`` means every item of a list and ``*`` the first property of an object; where a single text is needed, a path
    that leads to several does not count. An item of `details` that is an object is shown by its ``message``, ``detail``,
    ``title`` or ``description``, and by the lists inside it. `permission` leads to the permission that a credential lacks;
    if a sentence contains it, it is the first group of `permission_pattern`.
    """

    cause: tuple[str, ...] = ()
    type: tuple[str, ...] = ()
    code: tuple[str, ...] = ()
    parameter: tuple[str, ...] = ()
    documentation: tuple[str, ...] = ()
    details: tuple[str, ...] = ()
    permission: tuple[str, ...] = ()
    permission_pattern: str | None = None
    request_id: tuple[str, ...] = ()


class RateLimit(Declared, frozen=True, kw_only=True):
    """The response headers of one rate limit, by lower-case name.

    Attributes:
        left: how many requests are left.
        most: of how many.
        reset: seconds until there are more.
        window: the counted period: ``today``; empty for the usual short window.
    """

    left: str
    most: str | None = None
    reset: str | None = None
    window: str = ""


class LastingLimit(Declared, frozen=True, kw_only=True):
    """A rate limit that no wait of seconds ends, such as a day's.

    Attributes:
        named: a property of a refusal's body that names the limit that was reached, and its value for this one.
        left: a header with the requests that are left of it, for a refusal that names no limit.
        following: what the user can do.
    """

    named: tuple[str, str]
    left: str
    following: str


class Retry(Declared, frozen=True, kw_only=True):
    """When a read is repeated, and how long to wait first.

    Attributes:
        statuses: the temporary HTTP statuses.
        decides: a header whose ``true`` or ``false`` overrides the status.
        seconds: headers with a wait in seconds or as a date; the first that is present counts.
        seconds_when_limited: the same, for a 429 only.
        milliseconds_when_limited: headers with a wait in milliseconds, for a 429 only.
        reason: a header with the limit that was reached.
        lasting: the limit after which nothing is repeated.
    """

    statuses: tuple[int, ...] = (409, 429, 500, 502, 503, 504)
    decides: str | None = None
    seconds: tuple[str, ...] = ("retry-after",)
    seconds_when_limited: tuple[str, ...] = ()
    milliseconds_when_limited: tuple[str, ...] = ()
    reason: str | None = None
    lasting: LastingLimit | None = None


class ResponseStyle(Declared, frozen=True, kw_only=True):
    """How responses are read.

    Attributes:
        paging: a tool's paging, by what the tool returns: ``list``, ``search_result``.
        errors: the shapes of error bodies; the first that has a cause counts.
        request_id: headers with the service's id of a request; the first that is present counts.
        limits: its rate limits.
        retry: when to try again.
    """

    paging: Mapping[Literal["list", "search_result"], Paging] = msgspec.field(default_factory=dict)
    errors: tuple[ErrorBody, ...] = ()
    request_id: tuple[str, ...] = ("x-request-id",)
    limits: tuple[RateLimit, ...] = ()
    retry: Retry = msgspec.field(default_factory=Retry)


class McpServer(Declared, frozen=True, kw_only=True):
    """A server that speaks the Model Context Protocol, in place of an HTTP API.

    Attributes:
        command: the program that is the server, and its arguments; empty for a server at the service's address. Only a toolkit
            that the user added with ``callboard toolkit add`` may have one.
        folder: the program's working folder.
        environment: the environment variables that the program gets, in addition to the usual few.
        config: the settings of another MCP client, which name the server `entry`: its environment and headers are read there.
        sha256: of its list of tools when the toolkit was made.
        tools: the SHA-256 of each tool's parameters at that time, by the tool's name on the server.
    """

    command: tuple[str, ...] = ()
    folder: str = ""
    environment: tuple[str, ...] = ()
    config: str = ""
    entry: str = ""
    sha256: str = ""
    tools: Mapping[str, str] = msgspec.field(default_factory=dict)


class Service(Declared, frozen=True, kw_only=True):
    """A toolkit's service.

    Attributes:
        toolkit: the toolkit's name, the prefix of its tools' full names: ``PaymentsApi``.
        name: the name of its usual account: ``payments``.
        title: its name for people.
        account: the title of its usual account.
        summary: its purpose, in a sentence.
        version: the toolkit's version; None if there is none.
        capabilities: what its tools can do, in words.
        docs: the address of its documentation; https.
        hosts: its base URLs; ``api`` is the usual one, tools may name others.
        authentication: the ways to authenticate; the first whose environment variables are set is used.
        modes: how to distinguish live and test data.
        identity: how to find out whose credential it is; None if that is not possible.
        request: how requests are written.
        response: how responses are read.
        mcp: the MCP server that its tools are called on; None for an HTTP API.
        links: domains, including subdomains, whose https links in responses may be opened.
        type_prefix: the prefix of its object types, to distinguish them from those of other services.
        groups: the resource groups in display order; groups that are not named come last.
        order: its position among the toolkits, smallest first.
        sign: its sign on screen, one cell wide.
        hue: the colour of its sign and title; None for the text colour.
    """

    toolkit: str
    name: str
    title: str
    summary: str
    account: str = ""
    version: str | None = None
    capabilities: tuple[str, ...] = ()
    docs: str | None = None
    hosts: Mapping[str, Host]
    authentication: tuple[Authentication, ...]
    modes: Modes = msgspec.field(default_factory=Modes)
    identity: Identity | None = None
    request: RequestStyle = msgspec.field(default_factory=RequestStyle)
    response: ResponseStyle = msgspec.field(default_factory=ResponseStyle)
    mcp: McpServer | None = None
    links: tuple[str, ...] = ()
    type_prefix: str = ""
    groups: tuple[str, ...] = ()
    order: int = 100
    sign: Literal["■", "▲", "●", "□"] = "□"
    hue: Literal["violet", "orange", "teal"] | None = None

    @property
    def sign_in(self) -> SignIn | None:
        """How users sign in with a browser; None if they cannot."""
        return next((way.sign_in for way in self.authentication if way.sign_in is not None), None)

    @property
    def in_sandbox(self) -> bool:
        """Whether the sandbox has this service."""
        return self.hosts["api"].sandbox is not None

    @property
    def needs(self) -> str:
        """The environment variables that a user's account needs, in words: ``A and B, or C``; empty for none."""
        ways = [" and ".join(one.variables) for one in self.authentication]
        return "" if "" in ways else (", or " if any(" and " in way for way in ways) else " or ").join(ways)

    @property
    def shared_by_tools(self) -> dict[str, Any]:
        """The fields that all of its tools have from it."""
        style = self.request
        return {"toolkit": self.toolkit, "arrays": style.arrays, "nested": style.nested, "exact": style.exact}

    @property
    def variables(self) -> tuple[str, ...]:
        """Every environment variable that it reads."""
        names = [name for one in self.authentication for name in one.variables]
        names += [host.variable for host in self.hosts.values() if host.variable is not None]
        return tuple(dict.fromkeys([*names, *self.request.moved]))
