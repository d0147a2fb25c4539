"""A call as text that others can run: callboard, curl or Python, with variables in place of secrets.

It is planned and addressed like the call itself, with the name of a variable, between null characters, where a secret would be.
"""

import contextlib
import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pprint import pformat
from shlex import quote
from typing import Literal
from urllib.parse import quote as percent_encoded

from msgspec import Struct

from registry.accounts.connection import SANDBOX, SANDBOX_URL, Connection, Endpoint, Mode
from registry.accounts.secrets import Secret
from registry.calling.arguments import ArgumentError, Arguments, Value
from registry.calling.bodies import Body, Encoded, FilePath, text_of
from registry.calling.request import headers_of
from registry.calling.sending import composition, opening
from registry.catalog.model import OWN_OPTIONS, Parameter, Tool
from registry.files.folders import file_name
from registry.json_text import NULL, dumps
from registry.text.shown import exact_json, visible_line

SERVED_SANDBOX_URL = "http://127.0.0.1:8210"  # the default address of `callboard sandbox`
VARIABLE = re.compile("(?:\0|%00)(\\w+)(?:\0|%00)")
"""A variable in a text; in a path it is percent-encoded like any other value."""


class RequestTemplate(Struct, frozen=True):
    """A request as others may send it; its texts may contain variables.

    Attributes:
        url: the address, without the query, which is in `pairs`.
        user: the user and the password of HTTP's basic authentication; None without it.
        body: None for a request without one.
        by_hand: secrets in the body, where ``<NAME>`` must be replaced by hand.
    """

    method: str
    url: str
    pairs: Sequence[tuple[str, str]]
    headers: Mapping[str, str]
    user: tuple[str, str] | None
    body: Body | None
    by_hand: tuple[str, ...] = ()

    @property
    def variables(self) -> list[str]:
        """The environment variables that must be set."""
        texts = (*(self.user or ()), self.url, *self.headers.values(), *(value for _, value in self.pairs))
        return list(dict.fromkeys(name for text in texts for name in VARIABLE.findall(text)))

    @property
    def body_text(self) -> str | None:
        """The body as text without terminal controls; None without a body, and for one that is a file or has parts."""
        body = self.body
        if body is None or body.kind == "multipart" or body.file is not None:
            return None
        is_json = body.kind == "json" or (body.kind == "raw" and "json" in body.styles.values())
        return exact_json(body.text()) if is_json else body.text()


def request_template(tool: Tool, arguments: Arguments, endpoint: Endpoint) -> RequestTemplate:
    """The (first) request of a call.

    Raises:
        ArgumentError: the arguments are invalid.
    """
    if arguments.errors:
        raise ArgumentError(tool.name, arguments.errors)
    secret = [one for one in tool.parameters if one.role == "secret" and one.name in arguments.values]
    by_hand = [one.name.upper() for one in secret if one.place == "body"]
    values = {one.name: f"<{one.name.upper()}>" if one.place == "body" else _variable(one.name.upper()) for one in secret}
    planned = opening(tool, Arguments({**arguments.values, **values}))
    way, user = endpoint.authentication, None
    if not endpoint.public:
        own = "ACCESS_TOKEN" if way.token_url is not None else way.variable or "CREDENTIAL"
        names = (own, *(one.variable for one in way.beside))
        endpoint = replace(
            endpoint, credential=Secret(" ".join(map(_variable, names))), user=_variable(way.user_variable or "")
        )
    headers = headers_of(planned, endpoint)
    del headers["User-Agent"]
    if way.kind == "basic":
        del headers["Authorization"]
        user = endpoint.user, endpoint.credential.reveal().partition(" ")[0]
    if planned.body is not None and planned.body.kind != "multipart":
        headers["Content-Type"] = planned.body.media_type
    url = replace(planned, query=()).url(endpoint).partition("?")[0]
    if url.startswith(SANDBOX_URL + "/"):
        url = SERVED_SANDBOX_URL + url.removeprefix(SANDBOX_URL)
    pairs = (*planned.query, *((name, value) for kind, name, value in endpoint.carriers() if kind == "query"))
    return RequestTemplate(planned.method, url, pairs, headers, user, planned.body, tuple(by_hand))


def _variable(name: str) -> str:
    return f"\0{name}\0" if name else ""


_PATIENCE, _WIDTH = 60, 84


def program(request: RequestTemplate, file: str | None = None) -> str:
    """The program. `file` is for a response that is not text; None prints it."""
    lines = [*(["import os", ""] if request.variables else []), "import httpx", "", "response = httpx.request("]
    lines += [f"    {_text(request.method)},", f"    {_code(request.url)},"]
    if request.pairs:
        lines += ["    params=[", *(f"        ({_text(name)}, {_code(value)})," for name, value in request.pairs), "    ],"]
    lines += [
        "    headers={",
        *(f"        {_text(name)}: {_code(value)}," for name, value in request.headers.items()),
        "    },",
    ]
    if request.user is not None:
        lines.append(f"    auth=({_code(request.user[0])}, {_code(request.user[1])}),")
    lines += [f"    {line}" for line in _body(request)]
    lines += [f"    timeout={_PATIENCE},", ")", "response.raise_for_status()"]
    if file is None:
        lines.append("print(response.text)")
    else:
        lines += [f'with open({_text(file)}, "xb") as file:', "    file.write(response.content)"]
    return "\n".join(lines) + "\n"


def _code(text: str) -> str:
    """A text in Python: a literal, with variables from the environment."""
    parts = VARIABLE.split(text)  # literals and the names of variables in turn
    said = [f'os.environ["{part}"]' if place % 2 else _text(part) for place, part in enumerate(parts) if part]
    return " + ".join(said) or '""'


def _body(request: RequestTemplate) -> list[str]:
    """The lines for the body. JSON is a literal if Python writes its numbers in the same way, otherwise text."""
    body = request.body
    if body is None:
        return []
    if body.file is not None:
        return [f"content=open({_text(os.path.expanduser(body.file))}, 'rb').read(),"]
    if body.kind == "multipart":
        parts = [
            (
                name,
                (
                    f"{_text(one.name)}, open({_text(os.path.expanduser(one))}, 'rb')"
                    if isinstance(one, FilePath)
                    else f"None, {_text(one)}"
                )
                + (f", {_text(kind)}" if kind else "")
                + (f", {dict(headers)}" if kind and headers else f", None, {dict(headers)}" if headers else ""),
            )
            for name, one, kind, headers in body.parts()
        ]
        return ["files=[", *(f"    ({_text(name)}, ({part}))," for name, part in parts), "],"]
    if body.kind == "json":
        with contextlib.suppress(ValueError):  # a number with thousands of digits
            value = json.loads(body.text())
            if json.dumps(value, ensure_ascii=False) == body.text():
                return f"json={pformat(value, width=_WIDTH, sort_dicts=False)},".split("\n")
    return [f"content={_text(request.body_text or '')}.encode(),"]


def _text(text: str) -> str:
    """A string literal with all unprintable characters escaped."""
    return f'"{text}"' if text.isprintable() and '"' not in text and "\\" not in text else repr(text)


def curl(request: RequestTemplate, file: str | None = None) -> str:
    """The command. `file` is for a response that is not text; None is standard output."""
    secret = [(name, value) for name, value in request.pairs if VARIABLE.search(value)]
    query = "&".join(f"{_encoded(name)}={_encoded(value)}" for name, value in request.pairs if not VARIABLE.search(value))
    url = request.url + (f"?{query}" if query else "")
    is_bare = request.method == "GET" and request.body is None
    if not is_bare:  # curl would send them in the body, encoded
        for name, value in secret:
            url += f"{'&' if '?' in url else '?'}{_encoded(name)}={value}"
    body = request.body
    words = [f"curl {_shell(url)}", "--globoff" if any(letter in url for letter in "[]{}") else ""]
    # With --request, curl would wait for the body of a HEAD, which is not sent.
    words.append("--head" if request.method == "HEAD" else "" if is_bare else f"--request {request.method}")
    words += [f"--header {_shell(f'{name}: {value}')}" for name, value in request.headers.items()]
    words.append(f"--user {_shell(':'.join(request.user))}" if request.user is not None else "")
    if secret and is_bare:
        words += ["--get", *(f"--data-urlencode {_shell(f'{name}={value}')}" for name, value in secret)]
    words.append(f"--data-raw {quote(request.body_text)}" if request.body_text is not None else "")
    if body is not None and body.file is not None:
        words.append(f"--data-binary {quote(f'@{os.path.expanduser(body.file)}')}")
    for name, part, kind, headers in body.parts() if body is not None and body.kind == "multipart" else ():
        if isinstance(part, FilePath) or kind or headers:  # curl's --form has a syntax of its own
            is_file = isinstance(part, FilePath)
            text = (os.path.expanduser(part) if is_file else part).replace("\\", "\\\\").replace('"', '\\"')
            further = [f";type={kind}"] * bool(kind) + [f';headers="{one}: {value}"' for one, value in headers.items()]
            words.append("--form " + quote(f'{name}={"@" * is_file}"{text}"{"".join(further)}'))
        else:
            words.append(f"--form-string {quote(f'{name}={part}')}")
    words.append(f"--output {quote(file)}" if file is not None else "")
    return " \\\n  ".join(filter(None, words))


def _shell(text: str) -> str:
    """A text as one word for a shell: with variables in double quotes, where nothing else is expanded."""
    if not VARIABLE.search(text):
        return quote(text)
    return '"' + VARIABLE.sub(r"${\1}", re.sub(r'([$`"\\])', r"\\\1", text)) + '"'


def _encoded(text: str) -> str:
    return text if isinstance(text, Encoded) else percent_encoded(text, safe="")


_ONE_LINE = 90


def command(tool: Tool, arguments: Arguments, *connections: str, options: Iterable[str] = ()) -> str:
    """The command for a POSIX shell, for one account or several at once, with `options` of the command itself.

    Values that an option cannot contain, or that are not safe to paste, are given in JSON.
    """
    words = [f"callboard call {tool.name}"]
    rest: dict[str, Value] = {}
    for name, value in arguments.values.items():
        parameter = tool.parameter(name)
        option = "--" + name.replace("_", "-")
        if parameter is not None and parameter.role == "secret":
            words.append(f'{option}="${name.upper()}"')
        elif parameter is None or (texts := _texts(parameter, value)) is None:
            rest[name] = value
        else:
            words += [f"{option}={quote(text)}" for text in texts]
    if rest:
        words.append(f"--args={quote(exact_json(dumps(rest)))}")
    words += [*(f"--account={quote(connection)}" for connection in connections), *options]
    line = " ".join(words)
    return line if len(line) <= _ONE_LINE else " \\\n  ".join(words)


def _texts(parameter: Parameter, value: Value) -> list[str] | None:
    """A value as texts for its option, one for each item; None if the option cannot contain it, or it is not safe to paste."""
    if parameter.name in OWN_OPTIONS or "-" in parameter.name or value is NULL:
        return None
    texts = [text_of(one) for one in value] or [""] if isinstance(value, tuple) else [text_of(value)]
    # A text that is a JSON list, null or empty would be read as that.
    is_json = isinstance(value, tuple) and (value == ("",) or any(one.startswith("[") or one == "null" for one in texts))
    if parameter.is_structured or is_json:
        return [exact_json(dumps(value))]  # which escapes everything that is not safe to show
    return texts if all(visible_line(text) == text for text in texts) else None


SnippetKind = Literal["curl", "httpx", "callboard"]


class Snippet(Struct, frozen=True):
    """One form: the text, safe for screens and the clipboard, and notes on what it needs or does not do."""

    kind: SnippetKind
    text: str
    notes: tuple[str, ...]


def snippets(tool: Tool, arguments: Arguments, connection: Connection, options: Sequence[str] = ()) -> tuple[Snippet, ...]:
    """A call as curl, as a Python program and as a command; for an MCP server only as a command. None contains a secret.

    The arguments are checked, as they are sent. `options` are the command's own, if the call fetches a whole list, of which the
    arguments request the first page.

    Raises:
        ArgumentError: the arguments are invalid.
        ConnectionSettingsError: the connection does not serve the tool's toolkit.
    """
    service, mode = connection.endpoint(tool.toolkit).service, connection.endpoint(tool.toolkit).mode
    as_command = command(tool, arguments, connection.name, options=options)
    if service.mcp is not None:
        return (Snippet("callboard", as_command, tuple(_agreement(tool, mode))),)
    request = request_template(tool, arguments, connection.endpoint_for(tool))
    file = None
    if tool.returns.kind == "file":
        subject = tool.with_role("id")
        stem = f"{tool.returns.objects[0]}-{arguments.values[subject.name]}" if subject else tool.name
        file = file_name(stem, "answer") + ".pdf"
    needs = [f"Reads {' and '.join(request.variables)} from the environment."] if request.variables else []
    changes = "Deletes without confirmation." if tool.effect == "delete" else "Changes data each time it runs."
    outside = [
        *needs,
        *(f"Replace <{name}> with the value of {name}." for name in request.by_hand),
        "`callboard sandbox` must be running." if connection.name == SANDBOX else "",
        "Asks for the first page only; the callboard command fetches all of them." if options else "",
        "Shows the first request only; the tool sends more, based on the response."
        if composition(tool, arguments) is not None
        else "",
        changes if tool.effect != "read" else "",
    ]
    notes = tuple(filter(None, outside))
    return (
        Snippet("curl", curl(request, file), notes),
        Snippet("httpx", program(request, file), notes),
        Snippet("callboard", as_command, (*needs, *_agreement(tool, mode))),
    )


def _agreement(tool: Tool, mode: Mode) -> list[str]:
    """The options that the command line needs before it changes something."""
    if tool.effect == "read" or (tool.effect == "write" and mode == "sandbox"):
        return []
    if mode != "live":
        return ["Add --yes to run it."]
    return [f"Add --allow-writes and {'--confirm ID' if tool.effect == 'delete' else '--yes'} to run it."]
