"""The bytes of documents: from a file, or over https."""

import asyncio
import os
from pathlib import Path
from urllib.parse import urlsplit

import httpx

from registry.accounts.connection import NOT_FOLLOWED, is_base_url, without_secrets
from registry.calling.failures import BadProxy
from registry.calling.network import outside_client
from registry.catalog.checking import LOOPBACK
from registry.files.folders import open_plain
from registry.openapi.document import DocumentRefused
from registry.openapi.parsing import MOST_BYTES

_MOST_REDIRECTS, _SECONDS = 5, 30.0


def content_of(source: str) -> tuple[bytes, str]:
    """The bytes of a document, and its name: the whole path, or the address after redirects. Blocks.

    Raises:
        DocumentRefused: it cannot be read, or is too large.
    """
    if source.lower().startswith(("https://", "http://")):
        return asyncio.run(_fetched(source))
    return _file(source)


def _file(source: str) -> tuple[bytes, str]:
    name = source
    try:
        path = Path(os.path.expanduser(source)).absolute()
        name = str(path)
        with open_plain(path) as file:
            content = file.read(MOST_BYTES + 1)
    except FileNotFoundError:
        raise DocumentRefused(name, "", "there is no such file") from None
    except (OSError, ValueError) as error:
        raise DocumentRefused(name, "", f"cannot be read: {getattr(error, 'strerror', None) or error}") from None
    return content, name  # `parsing` refuses what is too large


async def _fetched(address: str) -> tuple[bytes, str]:
    """The bytes at an address, and the address after redirects."""
    here = address
    try:
        async with asyncio.timeout(2 * _SECONDS), outside_client(httpx.Timeout(_SECONDS)) as client:
            for _ in range(_MOST_REDIRECTS):
                _refuse_odd(here)
                request = client.build_request("GET", here, headers={"Accept": "application/json, application/yaml, */*;q=0.5"})
                response = await client.send(request, stream=True)
                try:
                    if response.is_redirect and (following := response.headers.get(NOT_FOLLOWED)):
                        here = str(response.url.join(following))
                        continue
                    if response.status_code != 200:
                        raise DocumentRefused(_shown(here), "", f"answers with HTTP {response.status_code}")
                    content = bytearray()
                    async for piece in response.aiter_bytes():
                        content += piece
                        if len(content) > MOST_BYTES:
                            raise DocumentRefused(_shown(here), "", f"has more than {MOST_BYTES:,} bytes")
                    return bytes(content), here
                finally:
                    await response.aclose()
    except DocumentRefused:
        raise
    except TimeoutError:
        raise DocumentRefused(_shown(here), "", f"did not answer within {2 * _SECONDS:.0f} s") from None
    except (httpx.HTTPError, httpx.InvalidURL, BadProxy, OSError, ValueError) as error:
        raise DocumentRefused(_shown(here), "", f"cannot be read: {error or type(error).__name__}") from None
    raise DocumentRefused(_shown(here), "", f"redirects more than {_MOST_REDIRECTS} times")


def _shown(address: str) -> str:
    """An address for an error message: a query may hold a token."""
    return without_secrets(address) if "?" in address or "#" in address else address


def _refuse_odd(address: str) -> None:
    parts = urlsplit(address)
    if parts.username or parts.password:
        raise DocumentRefused(parts.hostname or "", "", "has a credential in its address; download the document instead")
    if not is_base_url(f"{parts.scheme}://{parts.netloc}"):
        raise DocumentRefused(without_secrets(address), "", "is not the address of a document")
    if parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname in LOOPBACK):
        raise DocumentRefused(address, "", "is not an https address")
