"""Who signs in in these tests: a browser's stand-in over real HTTP, and the clients of the sandbox."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, urlencode, urlsplit

import httpx

from registry.accounts.oauth import OAuthClient
from registry.accounts.secrets import Secret
from tests.sandbox.signing_in import CRM_APP, REPORTS, SECRETS, TERMINAL, ParsedPage

CRM = "CrmUsersApi"
TERMINAL_CLIENT = OAuthClient(TERMINAL)


def registered(name: str) -> OAuthClient:
    """A client of the sandbox that has a secret."""
    return OAuthClient(name, Secret(SECRETS[name]["client_secret"]))


REPORTS_CLIENT, CRM_CLIENT = registered(REPORTS), registered(CRM_APP)


@dataclass
class Browser:
    """A person with a browser: opens the page, decides, and goes where the page sends them.

    `tamper` changes the parameters on the way back; `decision` is what the person chooses.
    """

    decision: str = "allow"
    tamper: Callable[[dict[str, str]], Mapping[str, str]] = dict
    opened: list[str] = field(default_factory=list)
    pages: list[httpx.Response] = field(default_factory=list)
    under_way: list[asyncio.Task[None]] = field(default_factory=list)

    async def show(self, address: str) -> None:
        """What opens the browser: it does its work meanwhile."""
        self.under_way.append(asyncio.create_task(self._goes_back(address)))

    async def paste(self, _: str) -> str:
        """What the person pastes: where the browser was sent, which no program has opened."""
        return await self.sent_to(self.opened[-1])

    async def note(self, address: str) -> None:
        """What prints the address."""
        self.opened.append(address)

    async def sent_to(self, address: str) -> str:
        """The address that the page sends the browser to."""
        async with httpx.AsyncClient(verify=False) as http:
            page = await http.get(address)
            location = page.headers.get("location")
            if location is None:
                assert page.status_code == 200, page.text
                form = {**ParsedPage(page.text).fields, "decision": self.decision}
                location = (await http.post(page.url, data=form)).headers["location"]
        start, _, query = location.partition("?")
        told = self.tamper(dict(parse_qsl(query)))
        return f"{start}?{urlencode(told, errors='surrogateescape')}"

    async def _goes_back(self, address: str) -> None:
        self.opened.append(address)
        location = await self.sent_to(address)
        async with httpx.AsyncClient(verify=False) as http:
            self.pages.append(await http.get(location))

    async def closed(self) -> httpx.Response:
        """The page that the browser shows in the end."""
        await asyncio.gather(*self.under_way)
        return self.pages[-1]


def parameters(address: str) -> dict[str, str]:
    """What an address asks for."""
    return dict(parse_qsl(urlsplit(address).query))


def nothing() -> None:
    """A store that takes everything."""
