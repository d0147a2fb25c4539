"""Callboard in a real browser: the keys of the first minute, a call, a reload, a deletion with consent, a download, a copy."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from registry.doors.serve.application import terminal_files
from tests.command_line import ROOT, started

pytest.importorskip("websockets", reason="the extra callboard[serve] is not installed")
if not terminal_files():
    pytest.skip("the extra callboard[serve] is not installed", allow_module_level=True)

from tests.chromium import PROGRAM, Browser, Tab, chromium, until

pytestmark = [pytest.mark.long, pytest.mark.skipif(PROGRAM is None, reason="no Chromium is installed")]


@contextmanager
def served(home: Path, *options: str) -> Iterator[str]:
    """The link of a server that runs as long."""
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("XDG_")},
        "HOME": str(home),
        "PYTHONPATH": str(ROOT),
    }
    with started("serve", "--port", 0, *options, environment=environment, stderr=None, cwd=None) as server:
        try:
            assert server.stdout is not None
            yield next(line.strip() for line in server.stdout if line.strip().startswith("http"))
        finally:
            server.terminate()
            server.wait(30)


def picture(page: Tab, name: str) -> None:
    """Save what a page looks like where somebody wants to see it: in the folder that CALLBOARD_PICTURES names."""
    if folder := os.environ.get("CALLBOARD_PICTURES"):
        page.picture(Path(folder) / f"{name}.png")


def leave(page: Tab, shown: str) -> None:
    """Close what is in front. A key right behind Escape would be one key with it, as in any terminal."""
    page.press("Escape")
    page.wait_for(lambda text: shown not in text)


def pressed(page: Tab, key: str) -> bool:
    """Press a key; what it confirms counts only once it has been on screen for a moment, with no other key before it."""
    page.at_rest()
    page.press(key)
    return True


def is_left_to_browser(page: Tab, about: str) -> bool:
    """Whether the page does nothing with a key."""
    key = f"new KeyboardEvent('keydown', {{bubbles: true, cancelable: true, {about}}})"
    return page.evaluate(f"document.querySelector('.xterm-helper-textarea').dispatchEvent({key})") is True


def local_only(browser: Browser) -> None:
    """Nothing came from elsewhere, and the page's policy was not broken."""
    assert [url for url in browser.requests if not url.startswith(("http://127.0.0.1:", "ws://127.0.0.1:", "about:"))] == []
    assert [line for line in browser.console if "favicon" not in line] == []


def test_the_first_minute_a_reload_and_a_deletion(tmp_path: Path) -> None:
    with served(tmp_path) as link, chromium() as browser:
        page = browser.open(link)
        page.wait_for("Alt+R Read again")
        picture(page, "begin")
        for kept in ("key: 'F5', keyCode: 116", "key: 'r', keyCode: 82, ctrlKey: true", "key: 'v', keyCode: 86, ctrlKey: true"):
            assert is_left_to_browser(page, kept), kept
        assert not is_left_to_browser(page, "key: 'd', keyCode: 68, altKey: true"), "Alt+D would lead to the address"
        page.type("cust cards")
        page.wait_for("Customer · cards")
        page.press("Enter")
        page.wait_for("customer_id")
        page.type("cus_4R5QLgZDZXPlou")
        page.press("Enter")
        page.wait_for(lambda text: "row 1 of 2" in text and "2 of 2" in text)
        before = page.at_rest()
        picture(page, "run")

        page.reload()
        page.wait_for(before)
        picture(page, "reloaded")

        page.press("t")
        page.wait_for("data[0].brand")
        page.press("/")
        page.type("card_7zz")
        page.press("Enter")
        page.wait_for("data[0].id")
        page.press("ArrowDown")
        page.wait_for("data[0].object")
        page.press("ArrowUp")
        page.wait_for("data[0].id")
        page.press("Enter")
        page.wait_for("American Express card ending in 0005 expired")
        page.press("Backspace")
        page.wait_for(lambda text: "2 cards of" in text and "data[0].id" in text)
        page.at_rest()
        page.press("F1")
        page.wait_for("Result as JSON")
        picture(page, "help")
        leave(page, "Result as JSON")
        page.press("Ctrl+p")
        page.wait_for("Run on several accounts")
        leave(page, "Run on several accounts")
        page.press("Ctrl+g")
        page.wait_for("Press a letter to jump")
        leave(page, "Press a letter to jump")
        page.press("F3")
        page.wait_for("▌ Customer · cards")
        page.press("Alt+j")
        page.wait_for('"customer_id"')
        page.press("Alt+j")
        page.wait_for("Customer id, for example")
        page.press("Ctrl+s")
        page.wait_for("Name for this call")
        leave(page, "Name for this call")
        page.press("F2")
        page.wait_for("▌ Tools")
        page.press("F4")
        page.wait_for("▌ 2 cards of")
        page.press("F6")
        page.wait_for("add and change them in a terminal")
        leave(page, "Choose accounts")

        page.press("Ctrl+f")
        page.type("delete customer cus_hY99QH2AX3dNEo")
        page.wait_for("Customer · delete")
        page.press("ArrowDown", "Enter")
        page.wait_for("ready")
        page.press("Alt+r")
        page.wait_for("1 active subscription")
        picture(page, "deletion")
        page.press("ArrowRight")
        until(lambda: pressed(page, "Enter") and "is deleted" in page.at_rest(), "the deletion")
        page.wait_for("deleted: true")
        picture(page, "deleted")

        page.press("Alt+q")
        page.wait_for_notice("Callboard has ended")
        picture(page, "ended")
        page.press("Enter")
        page.wait_for("Alt+R Read again")
        page.wait_for(lambda text: "deleted: true" not in text)
        local_only(browser)


def test_a_file_is_downloaded_a_value_is_copied_and_the_dashboard_opens(tmp_path: Path) -> None:
    with served(tmp_path, "--demo") as link, chromium() as browser:
        browser.call("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(tmp_path / "got"))
        browser.call("Browser.grantPermissions", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
        page = browser.open(link, 1600, 900)
        page.wait_for("Alt+R Read again")
        page.type("balance")
        page.wait_for("Our balance")
        page.at_rest()
        page.press("Enter")
        page.wait_for("ready")
        page.at_rest()
        page.press("Alt+r")
        page.wait_for(lambda text: "▌ Balance" in text and "(root)" in text)
        page.at_rest()
        page.press("y")
        page.wait_for("Copied")
        until(
            lambda: "available" in str(page.evaluate("Clipboard.prototype.readText.call(navigator.clipboard)")), "the clipboard"
        )
        assert page.evaluate("navigator.clipboard.readText().then(() => 'read', () => 'not read')") == "not read"
        page.press("x")
        page.wait_for("Save or copy")
        page.press("Enter")
        page.wait_for("Saved")
        until(lambda: any(file.suffix == ".json" for file in (tmp_path / "got").glob("*")), "the download")

        page.press("Shift+F2")
        page.wait_for("Show me")
        picture(page, "walks")
        page.press("Enter")
        page.wait_for(lambda text: "Space" in text or "past due" in text)
        picture(page, "walk")

        board = browser.open(link.partition("/in/")[0] + "/oncall", 1600, 900)
        board.wait_for(lambda text: "10 triggered" in text and "loading" not in text)
        picture(board, "oncall")
        local_only(browser)

        board.call("Network.setBlockedURLs", urls=["*/textual.js"])
        board.reload()
        board.wait_for_notice("could not be started")
