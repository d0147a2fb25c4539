"""A real browser for tests: headless Chromium, driven over its own protocol (CDP)."""

import base64
import contextlib
import itertools
import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from websockets.sync.client import ClientConnection, connect

PROGRAM = next((found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), None)
_PATIENCE = 30.0
_CODES = {
    "Enter": 13,
    "Escape": 27,
    "Backspace": 8,
    "Page": 9,
    " ": 32,
    "ArrowLeft": 37,
    "ArrowUp": 38,
    "ArrowRight": 39,
    "ArrowDown": 40,
    **{f"F{number}": 111 + number for number in range(1, 13)},
    "/": 191,
}
_MODIFIERS = {"Alt": 1, "Ctrl": 2, "Meta": 4, "Shift": 8}


@contextlib.contextmanager
def chromium() -> "Iterator[Browser]":
    """A browser with an empty profile. It is killed when the context ends."""
    assert PROGRAM is not None
    with TemporaryDirectory(prefix="callboard-chromium-", ignore_cleanup_errors=True) as folder:
        command = [
            PROGRAM, "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0",
            f"--user-data-dir={folder}", "--no-first-run", "--disable-background-networking",
            "--disable-dev-shm-usage", "about:blank",
        ]  # fmt: skip
        process = subprocess.Popen(
            command,
            env={"PATH": os.environ["PATH"], "HOME": folder},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            port = Path(folder) / "DevToolsActivePort"
            until(lambda: port.is_file() and len(port.read_text().splitlines()) == 2, "Chromium")
            number, path = port.read_text().splitlines()
            with connect(f"ws://127.0.0.1:{number}{path}", max_size=None) as socket:
                yield Browser(socket)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def until(condition: Callable[[], object], what: str) -> None:
    """Wait for a condition."""
    end = time.monotonic() + _PATIENCE
    while not condition():
        assert time.monotonic() < end, f"waited in vain for {what}"
        time.sleep(0.05)


class Browser:
    """A browser and the connection to it."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self._numbers = itertools.count(1)
        self.console: list[str] = []
        self.requests: list[str] = []

    def call(self, method: str, session: str | None = None, **parameters: object) -> dict[str, Any]:
        """Send a command to the browser and return its result."""
        number = next(self._numbers)
        message: dict[str, object] = {"id": number, "method": method, "params": parameters}
        self._socket.send(json.dumps(message | ({"sessionId": session} if session else {})))
        while True:
            answer = json.loads(self._socket.recv(_PATIENCE))
            if answer.get("id") == number:
                assert "error" not in answer, answer["error"]
                result: dict[str, Any] = answer["result"]
                return result
            self._note(answer)

    def _note(self, event: dict[str, Any]) -> None:
        match event.get("method"):
            case "Log.entryAdded":
                self.console.append(event["params"]["entry"]["text"] + " " + event["params"]["entry"].get("url", ""))
            case "Runtime.exceptionThrown":
                self.console.append(json.dumps(event["params"]["exceptionDetails"]))
            case "Network.requestWillBeSent":
                self.requests.append(event["params"]["request"]["url"])

    def open(self, url: str, width: int = 1200, height: int = 800) -> "Tab":
        """A new tab."""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        page = Tab(self, session, target)
        for domain in ("Page", "Runtime", "Log", "Network"):
            page.call(f"{domain}.enable")
        page.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        page.call("Page.navigate", url=url)
        return page


class Tab:
    """A tab of the browser."""

    def __init__(self, browser: Browser, session: str, target: str) -> None:
        self._browser, self._session, self._target = browser, session, target

    def call(self, method: str, **parameters: object) -> dict[str, Any]:
        """Send a command to the tab and return its result."""
        return self._browser.call(method, self._session, **parameters)

    def evaluate(self, script: str) -> Any:
        """Run JavaScript in the page and return its value."""
        answer = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True, userGesture=True)
        return answer["result"].get("value")

    @property
    def text(self) -> str:
        """The text that the terminal in the page shows."""
        lines = "[...document.querySelectorAll('.xterm-rows > div')].map(one => one.textContent)"
        return "\n".join(line.rstrip() for line in self.evaluate(lines) or ()).replace("\xa0", " ")

    def at_rest(self) -> str:
        """The text below the first line, which may count seconds, once it was the same twenty times in a row."""
        seen: list[str] = []

        def same() -> bool:
            seen.append(self.text.partition("\n")[2])
            return len(seen) > 20 and len(set(seen[-20:])) == 1

        until(same, "rest")
        return seen[-1]

    def wait_for(self, wanted: str | Callable[[str], bool]) -> str:
        """Wait until the terminal shows something."""
        try:
            until(lambda: wanted in self.text if isinstance(wanted, str) else wanted(self.text), repr(wanted))
        except AssertionError as error:
            raise AssertionError(f"{error}; the page shows:\n{self.text}\n{self._browser.console}") from None
        return self.text

    def wait_for_notice(self, wanted: str) -> None:
        """Wait until the notice of the page contains a text. The notice is not part of the program in the page."""
        until(lambda: wanted in (self.evaluate("document.getElementById('notice').textContent") or ""), repr(wanted))

    def press(self, *keys: str) -> None:
        """Press keys one after the other, each as ``Ctrl+p``, ``F2`` or a character."""
        for key in keys:
            *modifiers, last = key.split("+") if len(key) > 1 else [key]
            bits = sum(_MODIFIERS[one] for one in modifiers)
            code = _CODES.get(last) or ord(last.upper())
            about: dict[str, object] = {"key": last, "windowsVirtualKeyCode": code, "modifiers": bits}
            about["code"] = last if len(last) > 1 else f"Key{last.upper()}" if last.isalpha() else ""
            text = "\r" if last == "Enter" else last if len(last) == 1 and not bits & 7 else ""
            self.call(
                "Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown", **about, **({"text": text} if text else {})
            )
            self.call("Input.dispatchKeyEvent", type="keyUp", **about)

    def type(self, text: str) -> None:
        """Press a key for each character."""
        self.press(*text)

    def reload(self) -> None:
        """Load the page again."""
        self.call("Page.reload")

    def close(self) -> None:
        """Close the tab."""
        self._browser.call("Target.closeTarget", targetId=self._target)

    def picture(self, file: Path) -> None:
        """Save a screenshot."""
        file.write_bytes(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))
