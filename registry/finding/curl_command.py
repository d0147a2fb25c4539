"""Parses a pasted ``curl`` command as a request: method, address, headers, data. Files and multipart forms are left out."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple
from urllib.parse import quote

_WITH_VALUE = {
    "-X", "--request", "-H", "--header", "-u", "--user", "-d", "--data", "--data-ascii", "--data-raw", "--data-urlencode",
    "--data-binary", "--json", "-F", "--form", "--form-string", "-o", "--output", "-A", "--user-agent", "-b", "--cookie", "-m",
    "--max-time", "--url", "--connect-timeout", "-e", "--referer", "-x", "--proxy", "-w", "--write-out", "--retry", "-E",
    "--cert", "--key", "--cacert", "-c", "--cookie-jar", "-T", "--upload-file", "--url-query", "--oauth2-bearer",
}  # fmt: skip
_DATA = ("-d", "--data", "--data-ascii", "--data-raw", "--data-binary", "--json")
_SENDS = (*_DATA, "--data-urlencode", "-F", "--form", "--form-string")


class CurlCommand(NamedTuple):
    """The request of a command.

    Attributes:
        address: its address; may be empty.
        method: in capitals.
        headers: by lower-case name.
        query: data for the query (``--get``), percent-encoded.
        body: the body as text; None without a body, or if it is a file.
    """

    address: str = ""
    method: str = "GET"
    headers: Mapping[str, str] = {}
    query: str = ""
    body: str | None = None


def curl_command(text: str) -> CurlCommand:
    """The request in a ``curl`` command; an empty GET if it cannot be parsed."""
    try:
        options = list(_options(shlex.split(text.replace("\\\n", " "))[1:]))
    except ValueError:
        return CurlCommand()
    given = dict(reversed(options))  # of several, the first
    used = given.keys()
    headers, data = {}, []
    for option, value in options:
        if option in ("-H", "--header"):
            name, _, content = value.partition(":")
            headers[name.strip().lower()] = content.strip()
        elif option == "--data-urlencode":  # name=content, or content; only the content still has to be encoded
            name, sign, content = value.partition("=") if "=" in value else ("", "", value)
            data.append(f"{quote(name, safe='[]')}{sign}{quote(content, safe='')}")
        elif option in _DATA and not (value.startswith("@") and option != "--data-raw"):
            data.append(value)
    content = ("" if "--json" in used else "&").join(data)
    as_query = not used.isdisjoint(("-G", "--get"))
    sends = not as_query and not used.isdisjoint(_SENDS)
    method = given.get("-X") or given.get("--request") or ("HEAD" if used & {"-I", "--head"} else "POST" if sends else "GET")
    address = given.get("") or given.get("--url") or ""
    return CurlCommand(address, method.upper(), headers, content if as_query else "", content if data and sends else None)


def _options(words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Options with their values; a positional argument has no option."""
    rest = iter(words)
    for word in rest:
        option, _, value = word.partition("=") if word.startswith("--") else (word, "", "")
        if word.startswith("-") and not word.startswith("--") and len(word) > 2 and word[:2] in _WITH_VALUE:
            option, value = word[:2], word[2:]
        if option in _WITH_VALUE:
            value = value or next(rest, "")
        yield (option, value) if option.startswith("-") else ("", word)
