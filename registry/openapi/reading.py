"""Documents: bytes from a file or over https, and their tree of dicts, lists, text, numbers, true, false and null.

To limit memory and time, documents of more than 40 MB (YAML: 16 MB) are refused, YAML whose aliases expand to more than 5
million values or contain themselves, and nesting that Python cannot follow.
"""

import asyncio
import json
import os
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import urlsplit

import httpx
import yaml

from registry.accounts.connection import NOT_FOLLOWED, is_base_url, is_loopback, without_secrets
from registry.calling.failures import BadProxy
from registry.calling.network import outside_client
from registry.files.folders import network_words, open_plain
from registry.openapi.document import DocumentRefused

MOST_BYTES, MOST_YAML_BYTES = 40_000_000, 16_000_000
_MOST_VALUES = 5_000_000
_Base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_MOST_REDIRECTS, _SECONDS = 5, 30.0


def bytes_of(source: str) -> tuple[bytes, str]:
    """The bytes of a document, and its name: the whole path, or the address after redirects. Blocks.

    Of one that is too large there are more bytes than `tree_of` reads.

    Raises:
        DocumentRefused: it cannot be read.
    """
    if source.lower().startswith(("https://", "http://")):
        return asyncio.run(_fetched(source))
    name = source
    try:
        path = Path(os.path.expanduser(source)).absolute()
        name = str(path)
        with open_plain(path) as file:
            return file.read(MOST_BYTES + 1), name
    except FileNotFoundError:
        raise DocumentRefused(name, "", "there is no such file") from None
    except (OSError, ValueError) as error:
        raise DocumentRefused(name, "", f"cannot be read: {getattr(error, 'strerror', None) or error}") from None


async def _fetched(address: str) -> tuple[bytes, str]:
    """The bytes at an address, and the address after redirects."""
    here, accept = address, {"Accept": "application/json, application/yaml, */*;q=0.5"}
    why = f"redirects more than {_MOST_REDIRECTS} times"
    try:
        async with asyncio.timeout(2 * _SECONDS), outside_client(httpx.Timeout(_SECONDS)) as client:
            for _ in range(_MOST_REDIRECTS):
                _refuse_odd(here)
                async with client.stream("GET", here, headers=accept) as response:
                    if response.is_redirect and (following := response.headers.get(NOT_FOLLOWED)):
                        here = str(response.url.join(following))
                        continue
                    if response.status_code != 200:
                        why = f"responds with HTTP {response.status_code}; if it needs a login, download it and add the file"
                        break
                    content = bytearray()
                    async for piece in response.aiter_bytes():
                        content += piece
                        if len(content) > MOST_BYTES:
                            break
                    return bytes(content), here
    except DocumentRefused:
        raise
    except TimeoutError:
        why = f"did not answer within {2 * _SECONDS:.0f} s"
    except (httpx.HTTPError, httpx.InvalidURL, BadProxy, OSError, ValueError) as error:
        why = f"cannot be read: {network_words(error) or type(error).__name__}"
    raise DocumentRefused(without_secrets(here) if "?" in here or "#" in here else here, "", why)  # a query may hold a token


def _refuse_odd(address: str) -> None:
    parts = urlsplit(address)
    if parts.username or parts.password:
        raise DocumentRefused(parts.hostname or "", "", "has a credential in its address; download the document instead")
    if not is_base_url(f"{parts.scheme}://{parts.netloc}"):
        raise DocumentRefused(without_secrets(address), "", "is not the address of a document")
    if parts.scheme != "https" and not is_loopback(address):
        raise DocumentRefused(address, "", "is not an https address")


class _Loader(_Base):  # type: ignore[misc]
    """Safe YAML in which dates stay text, as in JSON."""

    yaml_implicit_resolvers: ClassVar[dict[str, Any]] = {
        start: [(tag, pattern) for tag, pattern in pairs if tag != "tag:yaml.org,2002:timestamp"]
        for start, pairs in _Base.yaml_implicit_resolvers.items()
    }


def tree_of(content: bytes, document: str) -> dict[str, Any]:
    """A document's JSON object.

    Raises:
        DocumentRefused: it is neither JSON nor YAML, too large, or not an object.
    """

    def refused(reason: object) -> DocumentRefused:
        return DocumentRefused(document, "", str(reason))

    if len(content) > MOST_BYTES:
        raise refused(f"has more than {MOST_BYTES:,} bytes")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise refused(f"is not UTF-8 text: byte {error.start:,} cannot be read") from None
    start = text.lstrip()[:1]
    if start == "<":
        raise refused("is a web page or XML, not an OpenAPI document; find the address of the document itself")
    is_json = start in ("{", "[", '"')
    if not is_json and len(content) > MOST_YAML_BYTES:
        raise refused(f"is YAML of {len(content):,} bytes; at most {MOST_YAML_BYTES:,} are read. Convert it to JSON")
    try:
        found = json.loads(text) if is_json else yaml.load(text, _Loader)  # noqa: S506 - a safe loader
        if not is_json:
            _as_json(found, {})
    except RecursionError:
        raise refused("is nested too deeply") from None
    except json.JSONDecodeError as error:
        raise refused(f"is not JSON: {error.msg} in line {error.lineno}, column {error.colno}") from None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f" in line {mark.line + 1}, column {mark.column + 1}" if mark is not None else ""
        raise refused(f"is not YAML: {getattr(error, 'problem', None) or error}{where}") from None
    except (ValueError, TypeError, OverflowError) as error:
        raise refused(f"is not {'JSON' if is_json else 'YAML'}: {error}") from None
    if not isinstance(found, dict):
        raise refused("is not an OpenAPI document: an object is needed at the top")
    return found


def _as_json(value: Any, sizes: dict[int, int]) -> int:
    """Make the names of mappings text, in place; returns the number of values, those of an alias counted each time.

    Raises:
        ValueError: there are too many, or a value contains itself.
    """
    if not isinstance(value, dict | list):
        return 1
    if id(value) not in sizes:
        sizes[id(value)] = 0  # until it is known: a value inside itself is met here again
        if isinstance(value, dict):
            for name in [name for name in value if not isinstance(name, str)]:
                value.setdefault(str(name).lower() if name is None or isinstance(name, bool) else str(name), value.pop(name))
        sizes[id(value)] = 1 + sum(_as_json(one, sizes) for one in (value.values() if isinstance(value, dict) else value))
    elif not sizes[id(value)]:
        raise ValueError("it contains itself, through an alias")
    if sizes[id(value)] > _MOST_VALUES:
        raise ValueError(f"it expands to more than {_MOST_VALUES:,} values, through aliases")
    return sizes[id(value)]
