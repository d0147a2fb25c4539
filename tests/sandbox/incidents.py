"""A client of the sandbox's incident service, for tests that are no coroutines."""

from datetime import datetime
from typing import Any

from registry.sandbox.server import application
from tests.sandbox.direct import Direct

LISTS = ("escalation_policies", "incidents", "log_entries", "oncalls", "schedules", "services", "teams", "users")


class Incidents(Direct):
    """The service as a client sees it; what `all` has read is not asked for again until the sandbox is told something."""

    def __init__(
        self,
        now: int,
        authorization: str = "Token token=user-token",
        *,
        seed: int = 1,
        scenario: str = "busy-night",
        rough: bool = False,
    ) -> None:
        app = application(seed=seed, now=now, scenario=scenario, rough=rough)
        super().__init__(app, "http://sandbox/incidents", Authorization=authorization)
        self.sandbox = Direct(app, "http://sandbox/sandbox")
        self.now = now
        self._read: dict[str, list[dict[str, Any]]] = {}

    def all(self, name: str, **params: Any) -> list[dict[str, Any]]:
        """All pages of a list; of incidents, ever."""
        params = {"date_range": "all"} | params if name == "incidents" else params
        asked = f"{name} {params}"
        if asked not in self._read:
            found: list[dict[str, Any]] = []
            more = True
            while more:
                page = self.get(f"/{name}", limit=100, offset=len(found), **params)
                found, more = found + page[name], page["more"]
            self._read[asked] = found
        return self._read[asked]

    def ids(self, name: str) -> dict[str, str]:
        """Ids by name."""
        return {one["name"]: one["id"] for one in self.all(name)}

    def go_on(self, seconds: int) -> None:
        """Move the sandbox's clock."""
        self.now = self.tell("/clock", advance=seconds)["now"]

    def tell(self, path: str, **words: Any) -> Any:
        """Change the sandbox."""
        self._read.clear()
        return self.sandbox.send("POST", path, json=words).json()


def at(text: str) -> int:
    """A moment in a response, in Unix seconds."""
    return int(datetime.fromisoformat(text).timestamp())
