"""A server over HTTP, reached through the connections of all other requests: the same proxies, rules and certificates."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping

import httpx
import httpx2

_IGNORED = {b"host", b"content-length", b"connection", b"user-agent"}


class ThroughHttpx(httpx2.AsyncBaseTransport):
    """Carries the protocol library's requests through an httpx client.

    Args:
        client: gives the client.
        headers: gives the headers of every request: the credential of the moment among them.
        largest: bytes of the largest response.

    Attributes:
        status: the last HTTP status that is an error; None when none was.
        fault: why the last request got no response; empty when it got one.
    """

    def __init__(self, client: Callable[[], httpx.AsyncClient], headers: Callable[[], Mapping[str, str]], largest: int) -> None:
        self._client = client
        self._headers = headers
        self.largest = largest
        self.status: int | None = None
        self.fault = ""
        self.too_large = False

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send a request and give its response, whose body is still to be read."""
        headers = [(name, value) for name, value in request.headers.raw if name.lower() not in _IGNORED]
        names = {name.lower() for name in self._headers()}
        headers = [one for one in headers if one[0].decode("ascii").lower() not in names]
        headers += [(name.encode(), value.encode()) for name, value in self._headers().items()]
        # Whoever thinks about a question is silent for long: the session has the deadline.
        timeout = httpx.Timeout(30.0, read=None).as_dict()
        content = await request.aread()
        sent = httpx.Request(
            request.method, str(request.url), headers=headers, content=content, extensions={"timeout": timeout}
        )
        try:
            response = await self._client().send(sent, stream=True)
        except (httpx.HTTPError, httpx.InvalidURL, ValueError, OSError) as error:
            self.fault = str(error) or type(error).__name__
            raise httpx2.ConnectError(self.fault, request=request) from None
        if response.status_code >= 400 and request.method == "POST":
            self.status = response.status_code
        return httpx2.Response(
            response.status_code, headers=response.headers.raw, stream=_Body(response, self), request=request
        )


class _Body(httpx2.AsyncByteStream):
    """The body of a response as it comes, compressed as it is."""

    def __init__(self, response: httpx.Response, through: ThroughHttpx) -> None:
        self._response = response
        self._through = through

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        try:
            async for chunk in self._response.aiter_raw():
                size += len(chunk)
                if size > self._through.largest and not self._is_stream:
                    self._through.too_large = True
                    raise httpx2.ReadError("the response is too large")
                yield chunk
        except (httpx.HTTPError, httpx.StreamError) as error:
            self._through.fault = str(error) or type(error).__name__
            raise httpx2.ReadError(self._through.fault) from None

    @property
    def _is_stream(self) -> bool:
        """Whether it is a stream of events, each of which has a limit of its own."""
        return str(self._response.headers.get("content-type", "")).startswith("text/event-stream")

    async def aclose(self) -> None:
        """Let go of the connection."""
        await self._response.aclose()
