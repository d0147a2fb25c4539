"""The records of tools and parameters, and the templates of their paths; `service` has the records of services.

They are frozen, plain values, so that loaded values cannot change, and a command can use the built-in catalogue without
importing pydantic; `checking` holds the entries of toolkits from elsewhere against these types, strictly.
"""

import re
from collections.abc import Callable, Collection, Mapping
from functools import cache
from typing import Literal
from urllib.parse import quote

import msgspec

from registry.catalog.service import Declared, Paging

ParameterType = Literal["string", "integer", "number", "boolean", "array", "object", "one_of", "any"]
ParameterLocation = Literal["path", "query", "header", "cookie", "body", "part", "local", "inside"]
Method = Literal["GET", "HEAD", "OPTIONS", "QUERY", "POST", "PUT", "PATCH", "DELETE"]
BodyKind = Literal["json", "form", "multipart", "raw", "none"]
Effect = Literal["read", "write", "delete"]
Role = Literal[
    "id",
    "cursor_before",
    "cursor_after",
    "limit",
    "offset",
    "page",
    "expand",
    "filter",
    "query",
    "field",
    "option",
    "secret",
    "timestamp",
    "zone",
]
Format = Literal[
    "date-time", "unix-minute", "time-zone", "country", "currency", "email", "domain", "digits", "token", "multiline", "file"
]
Open = Literal["properties", "anything"]
WhenEmpty = Literal["refuse", "omit", "send", "null"]
Style = Literal[
    "repeat",
    "comma",
    "space",
    "pipe",
    "tab",
    "brackets",
    "pairs",
    "json",
    "equals",
    "label",
    "label_repeat",
    "matrix",
    "matrix_repeat",
    "members",
]

SAFE_METHODS = ("GET", "HEAD", "OPTIONS", "QUERY")
"""Methods that change nothing (RFC 9110, 9.2.1; QUERY by its definition): their requests may be repeated."""

BODILESS_METHODS = ("HEAD",)
"""Methods whose requests never have a body here."""

BODY_METHODS = ("POST", "PUT", "PATCH", "QUERY")
"""Methods whose requests have a body if the tool has one; with other methods, only if the body has content."""

SCALARS = ("string", "integer", "number", "boolean")
"""Types whose values are written as one line of text."""

_OWN = """
    account all args dry_run yes confirm allow_writes read_only deadline timeout max_size json most no_journal output saved save
    format replace raw show_secrets help
"""
OWN_OPTIONS = frozenset(_OWN.split())
"""Options of ``callboard call`` itself: a parameter with such a name is given in JSON."""


class Parameter(Declared, frozen=True, kw_only=True):
    """One named, typed input of a tool; also a property, an item or a branch inside another one (place ``inside``).

    A property inside an object has the service's own name, and its values are as the service writes them: an object is one
    parameter whose JSON is sent as given. A `wire_name` is never a path into the body: that would be a second way to say
    the same, and could not express names with dots, required properties or lists of objects.

    Attributes:
        name: what a caller writes; for a branch of ``one_of``, its label. Only the items of a list need none.
        type: ``array`` without `items` means a list of strings; ``object`` without `properties` and `items` takes any
            property; ``one_of`` takes what one of its `branches` takes; ``any`` takes any JSON value.
        required: without it, a call, or the object that contains it, is refused.
        default: what is sent if the parameter is not given; None sends nothing.
        wire_default: what is sent if the parameter is not given and has no default, because the service requires it.
        minimum: the smallest number that is accepted.
        maximum: the largest number that is accepted.
        min_items: the smallest number of items of an array.
        max_items: the largest number of items of an array.
        above: every accepted number is greater than this.
        below: every accepted number is less than this.
        min_length: the smallest number of characters in a non-empty string.
        max_length: the largest number of characters in a string.
        pattern: a regular expression that a string must match somewhere, in the syntax of Rust's ``regex``: matching takes
            linear time, whatever the pattern and the text.
        properties: the properties of an object, in order.
        items: describes the items of an array; for an object, its properties with undeclared names.
        branches: the alternatives for a value of ``one_of``; the first one that takes a value counts.
        open: what an object takes in addition to its declared properties; it has no fields in a form, but JSON can contain it:
            other ``properties``, or ``anything``, even if it is not an object.
        enum: the only accepted values, as the caller writes them.
        wire_enum: the same values as the service writes them, in the same order; None if they are the same.
        suggestions: values that are known to work; others may work as well.
        help: what a person who fills in the form needs to know.
        place: where it is sent (``in`` in the data): in the path, the query, a header, a cookie, the body, a header of a
            ``part`` of the body, or nowhere (``local``); ``inside`` is set for parameters inside another one.
        wire_name: its name there; None for a parameter that is not sent.
        role: its meaning for the call, independent of its name.
        refers_to: the object types whose ids it takes.
        format: what a string or number means.
        when_empty: what happens to an empty value: refused, left out, sent as it is, or, for a property of
            an object, sent as null.
        nullable: whether null is a value and is sent; only in a JSON body, and inside.
        style: how a list or an object is sent, if not as the tool says (`registry.calling.bodies`);
            ``members``, in the body: its properties are the body's, and a value that is not an object is the whole body.
        content_type: the media type of its value: of a part of a multipart body, or of a field of a form that is JSON; of
            several, with commas between, that of the file's name counts.
        part: the name of the part whose header it is, for the place ``part``.
        reserved: reserved characters of the value are sent as they are in a query or a form; in a cookie, all are.
        sends_no: whether *no* is sent; if false, *no* means "not set", and nothing is sent.
    """

    type: ParameterType
    name: str = "item"
    help: str = ""
    place: ParameterLocation = msgspec.field(name="in", default="inside")
    role: Role = "field"
    required: bool = False
    default: str | int | float | bool | None = None
    wire_default: bool | None = None
    minimum: int | float | None = None
    maximum: int | float | None = None
    min_items: int | None = None
    max_items: int | None = None
    above: int | float | None = None
    below: int | float | None = None
    min_length: int | None = None
    max_length: int | None = None
    pattern: str | None = None
    properties: "tuple[Parameter, ...]" = ()
    items: "Parameter | None" = None
    branches: "tuple[Parameter, ...]" = ()
    open: Open | None = None
    enum: tuple[str, ...] | None = None
    wire_enum: tuple[str, ...] | None = None
    suggestions: tuple[str, ...] | None = None
    wire_name: str | None = None
    refers_to: tuple[str, ...] = ()
    format: Format | None = None
    when_empty: WhenEmpty = "refuse"
    nullable: bool = False
    style: Style | None = None
    content_type: str | None = None
    part: str | None = None
    reserved: bool = False
    sends_no: bool = True

    @property
    def takes_files(self) -> bool:
        """Whether its value is the path of a file that is sent, or a list of such paths."""
        return "file" in (self.format, self.items.format if self.items is not None else None)

    @property
    def is_structured(self) -> bool:
        """Whether its values are JSON and not text: all but scalars, and lists of scalars without null."""
        if self.type == "array":
            return self.items is not None and (self.items.type not in SCALARS or self.items.nullable)
        return self.type not in SCALARS

    def property_named(self, name: str) -> "Parameter | None":
        """The property with a name, or the description of undeclared properties; None if there is neither."""
        return next((one for one in self.properties if one.name == name), self.items if self.type == "object" else None)


class Returns(Declared, frozen=True, kw_only=True):
    """What a tool returns: how many objects of which types.

    ``kind`` is one of: ``object`` (one), ``list`` (a page), ``search_result`` (a page of matches), ``deletion`` (a note that an
    object was deleted), ``file`` (saved to disk), ``composite`` (several records combined here).

    Attributes:
        items: the dotted path of the property that holds a list's items; empty if it is the body.
        paging: the paging of a list. Both are in a file only if they differ from the service's; in the catalogue every tool
            that lists has them.
    """

    kind: Literal["object", "list", "search_result", "deletion", "file", "composite"]
    objects: tuple[str, ...]
    items: str | None = None
    paging: Paging | None = None


class Tool(Declared, frozen=True, kw_only=True):
    """One operation of a service under the name that callers use.

    Attributes:
        toolkit: the name of its toolkit.
        name: unique in the catalogue. In a file it is unique within its toolkit; if another toolkit has the same name, the
            catalogue adds the toolkit as a prefix.
        operation: the service's identifier of the operation.
        group: the resource group that it is listed under.
        method: HTTP method of the operation, or of the first request if the tool is composed of several.
        path: path template below the service's base URL, placeholders by wire name in braces, also within a segment:
            ``/files/{id}.json``.
        host: which of the service's hosts has the operation.
        effect: ``read``, ``write`` or ``delete``.
        summary: what it returns or does, in one line.
        rule: the precondition or peculiarity that a caller must know, or None.
        deprecated: the service advises against it.
        use_instead: the tool to use instead of a deprecated one, or words about it.
        returns: what the response contains.
        composed: name of the function that makes its requests, for a tool that needs more than one or does local work.
        fixed_query: query pairs of its every request.
        optional_query: further ones, for what not every account may ask for: without them if refused with 402 or 403.
        body: how body parameters are sent; None means no body, but JSON for POST, PUT and PATCH. ``raw`` sends
            the value of the only body parameter, ``none`` says that a POST, PUT or PATCH has no body. Other methods have
            a body only if this declares it, and HEAD never has one.
        content_type: the body's media type if it is not the usual one; required for ``raw``.
        arrays: how a list of scalars is sent in the query: the name repeated, or once with comma-separated values. The
            loader fills in the service's setting.
        accepts: the media types of its responses, if not JSON alone; sent as Accept, and what else comes is no result.
        nested: how an object is sent in a query or form: ``name[key]=value``, or as JSON; filled in like `arrays`.
        exact: values are sent as given unless a declared rule forbids them; filled in like `arrays`.
        scopes: OAuth scopes, one of which the service requires.
        security: the titles of the ways to authenticate that it takes, "" for none at all, empty for a call that gets no
            credential; None for any of the service's ways.
    """

    toolkit: str
    name: str
    operation: str
    group: str
    method: Method
    path: str
    effect: Effect
    summary: str
    returns: Returns
    host: str = "api"
    rule: str | None = None
    deprecated: bool = False
    use_instead: str | None = None
    composed: str | None = None
    fixed_query: tuple[tuple[str, str], ...] = ()
    optional_query: tuple[tuple[str, str], ...] = ()
    body: BodyKind | None = None
    content_type: str | None = None
    accepts: tuple[str, ...] = ()
    arrays: Literal["repeat", "comma"] = "repeat"
    nested: Literal["brackets", "json"] = "brackets"
    exact: bool = False
    scopes: tuple[str, ...] = ()
    security: tuple[str, ...] | None = None
    parameters: tuple[Parameter, ...] = ()

    @property
    def full_name(self) -> str:
        """Toolkit and name, as agents use it: ``PaymentsApi.GetCustomerCards``."""
        return f"{self.toolkit}.{self.own_name}"

    @property
    def own_name(self) -> str:
        """The name within its toolkit."""
        return self.name.rpartition(".")[2]

    def parameter(self, name: str) -> Parameter | None:
        """The parameter with that name, or None."""
        return next((parameter for parameter in self.parameters if parameter.name == name), None)

    def with_role(self, role: Role) -> Parameter | None:
        """The first parameter with that role, or None."""
        return next((parameter for parameter in self.parameters if parameter.role == role), None)

    @property
    def is_list(self) -> bool:
        """Whether it returns a page of a list or of matches, so that the whole list can be fetched."""
        return self.returns.kind in ("list", "search_result")

    @property
    def body_kind(self) -> BodyKind | None:
        """How its body is written; None for a tool without a body."""
        if self.body == "none":
            return None
        return self.body or ("json" if self.method in ("POST", "PUT", "PATCH") else None)

    @property
    def subject(self) -> Parameter | None:
        """The parameter that names the one object of a call: the last id in its path; None if there is none."""
        named = [parameter for parameter in self.parameters if parameter.role == "id" and parameter.place == "path"]
        return max(named, key=lambda parameter: self.path.find("{" + str(parameter.wire_name) + "}"), default=None)


# The templates of paths, such as ``/files/{id}.json`` and ``/compare/{base}..{head}``, and the patterns of strings

_PLACEHOLDER = re.compile(r"\{([^{}/]*)\}")
_FIXED = re.compile(r"[A-Za-z0-9._~!$&'()*+,;=:@%/-]*")
_STEPS = (".", "..")
_LONGEST = 500


def placeholders(template: str) -> list[str]:
    """The names in braces, in order."""
    return _PLACEHOLDER.findall(template)


def fault_of(template: str) -> str:
    """The error in a template; empty if it is valid."""
    if not template.startswith("/"):
        return "must start with a slash"
    fixed = _PLACEHOLDER.sub("", template)
    if "{" in fixed or "}" in fixed:
        return "has an unmatched brace"
    if not _FIXED.fullmatch(fixed):
        return "has a character that a path cannot have, such as a space, `?` or `#`"
    if any(segment in _STEPS for segment in template.split("/")):
        return "has a segment `.` or `..`"
    return ""


def filled(template: str, values: Mapping[str, str], encoded: Collection[str] = ()) -> str:
    """The path, with each value percent-encoded completely; a placeholder without a value stays.

    Args:
        template: the path with its placeholders.
        values: the values of the placeholders, by name.
        encoded: the names whose values are already percent-encoded.
    """
    quoted = {name: value if name in encoded else quote(value, safe="") for name, value in values.items()}
    return _PLACEHOLDER.sub(lambda found: quoted.get(found[1], found[0]), template)


def step_in(template: str, values: Mapping[str, str]) -> str | None:
    """The last placeholder of a segment that the values turn into ``.`` or ``..``; None if there is none.

    Clients and servers resolve such segments before routing: the request would reach another path.
    """
    for segment in template.split("/"):
        names = placeholders(segment)
        if names and filled(segment, values) in _STEPS:
            return names[-1]
    return None


@cache
def matcher(pattern: str) -> Callable[[str], bool]:
    """A function that returns whether a text matches somewhere. Look-around and back references are not supported.

    Raises:
        ValueError: the pattern is invalid, or too large when compiled.
    """
    if len(pattern) > _LONGEST:
        raise ValueError(f"it has more than {_LONGEST} characters")
    from pydantic_core import SchemaError, SchemaValidator, core_schema  # only toolkits from elsewhere have patterns

    try:
        validator = SchemaValidator(core_schema.str_schema(pattern=pattern, strict=True))
    except SchemaError as error:
        raise ValueError(str(error).strip().splitlines()[-1].strip()) from None
    return lambda text: validator.isinstance_python(text)
