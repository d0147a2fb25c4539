"""Walks as data, and played in the explorer: stopped where they go astray, recorded, replayed with other ids, exported."""

import asyncio
import os
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from starlette.applications import Starlette
from textual.pilot import Pilot

from registry.pages.subjects import PageRequest
from registry.sandbox.server import application
from tests.terminal import ROOT, Terminal
from tests.tui.app import own_threads
from tui.dialogs.choose import ChooseDialog
from tui.explorer.toolkit_tree import ToolkitTree
from tui.explorer.top_bar import TopBar
from tui.session import Session
from tui.state.settings import Settings
from tui.walks import walk_app
from tui.walks.caption import CaptionLine
from tui.walks.program import Export, play_headless
from tui.walks.recorder import Recording, RecordingApp
from tui.walks.walk import Step, Walk, WalkError, built_in, keys_of, named, parse, read, written
from tui.walks.walk_app import WALKS_SANDBOX, WalkApp, own_folders, users_environment

SIZES = [(80, 24), (120, 40)]
ADA = "accounts@ada-romero.example"


def sandbox_of(scenario: str, world: str) -> Callable[[], Starlette]:
    return lambda: application(scenario=scenario or "busy-night", rough=world == "rough")


async def nothing(app: WalkApp, step: Step) -> None:
    """Nothing is done behind a step."""


async def until(condition: Callable[[], object]) -> None:
    end = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < end, "the condition did not come true"
        await asyncio.sleep(0.01)


def caption(app: WalkApp) -> str:
    line = next(iter(app.screen.query(CaptionLine)), None)
    return line.caption.words if line is not None else ""


async def test_a_walk_goes_to_its_end_and_becomes_a_script(tmp_path: Path) -> None:
    walk = built_in()["customer"].with_values({"email": "accounts@aurora.example"})
    script = Export(tmp_path / "walk.sh", walk)
    assert await play_headless(walk, sandbox_of, (80, 24), script.after) == ""
    assert script.write() == f"Saved 2 commands in {tmp_path / 'walk.sh'}."
    text = (tmp_path / "walk.sh").read_text()
    assert "callboard call SearchPaymentsCustomers" in text
    assert 'email:"accounts@aurora.example"' in text
    assert text.endswith("callboard page cus_SxAKdn2A4YV4At\n")
    with pytest.raises(WalkError, match="exists already"):
        Export(tmp_path / "walk.sh", walk)


async def test_a_step_that_does_not_come_out_stops_the_walk_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walk_app, "PATIENCE", 0.3)
    steps = (Step(keys=("{help}",), wait=("All keys",)), Step(keys=("escape",), wait=("No such text",)), Step(keys=("{quit}",)))
    problem = await play_headless(Walk(title="x", steps=steps, name="x"), sandbox_of, (80, 24), nothing)
    assert problem == "Stopped at step 2 of 3: “No such text” did not appear within 0 s."


async def test_the_users_keys_pause_hurry_and_stop_it_and_do_nothing_else() -> None:
    async def during(pilot: Pilot[None]) -> None:
        await until(lambda: caption(app) == "Two words")
        line = app.screen.query_one(CaptionLine)
        bar = app.screen.query_one("KeyBar")
        # It stands above the keys and covers nothing.
        await until(lambda: (line.region.y, bar.region.y) == (22, 23))
        await pilot.press("space")
        await until(lambda: caption(app) == "Paused. Two words")
        await pilot.press("x", "f1")
        assert app.screen is app.explorer, "the program has not seen them"
        assert line.caption.controls[0] == ("Space", "Resume")
        # A page is a screen of its own, kept for the next object: what is said on it must not stand there for ever.
        app.open_page(PageRequest("cus_4R5QLgZDZXPlou"))
        await until(lambda: app.screen is not app.explorer)
        page = app.screen
        await pilot.press("enter")
        await until(lambda: caption(app) == "Then this")
        assert page.query_one(CaptionLine).caption.aside == "2/2"
        app.pop_screen()
        await until(lambda: app.screen is app.explorer)
        await pilot.press("escape")
        await until(lambda: caption(app).startswith("Stopped. This sandbox is yours to try things in."))
        assert line.caption.controls == (("Esc", "Stay here"), ("^Q", "Leave"))
        await until(lambda: line.region.height == 2)  # the keys have a line of their own, so that none is left out
        await pilot.press("escape")
        await until(lambda: not app.screen.query(CaptionLine))
        app.open_page(PageRequest("cus_SxAKdn2A4YV4At"))
        await until(lambda: app.screen is not app.explorer)
        assert app.screen is page
        assert not page.query(CaptionLine)
        app.pop_screen()
        await until(lambda: app.screen is app.explorer)
        assert "WALK'S SANDBOX" in str(app.explorer.query_one(TopBar).render())
        # Nothing of the user's is reached or written: what leads out is told to be elsewhere.
        said = len(app._notifications)
        await pilot.press("f6")
        await until(lambda: len(app._notifications) > said)
        assert app.screen is app.explorer
        app.explorer.action_add_toolkit("api.yaml")
        await until(lambda: len(app._notifications) > said + 1)
        assert app.screen is app.explorer
        await pilot.press("f1")
        await until(lambda: app.screen is not app.explorer)
        await pilot.press("escape")
        await until(lambda: app.screen is app.explorer)
        await pilot.press("shift+f2")
        await until(lambda: isinstance(app.screen, ChooseDialog))  # here, not in one more explorer inside this one
        await pilot.press("shift+f2", "enter")
        await until(lambda: app.next_walk is not None)

    steps = (Step(caption="Two words"), Step(caption="Then this"))
    with TemporaryDirectory() as folder:
        async with own_threads():
            session = Session({}, sandbox=lambda: application(), state=Path(folder))
            session.sandbox_names = (WALKS_SANDBOX,)
            app = WalkApp(session, Settings, Walk(title="x", steps=steps, name="x"), speed=0.01)
            async with app.run_test(size=(80, 24)) as pilot:
                await during(pilot)


async def test_keys_become_a_walk_that_plays_with_other_ids(tmp_path: Path) -> None:
    with TemporaryDirectory() as folder:
        async with own_threads():
            app = RecordingApp(Session({}, sandbox=lambda: application(), state=Path(folder)), Settings, "mine.toml")
            async with app.run_test(size=(80, 24)) as pilot:
                await until(lambda: app.explorer.panes_mounted)
                for letter in "accounts@ada-romero.exampx":
                    await pilot.press({"@": "at", "-": "minus", ".": "full_stop"}.get(letter, letter))
                await pilot.press("backspace", "l", "e")
                tree = app.explorer.query_one(ToolkitTree)
                # The object itself comes first once it was looked up; the search is below it.
                await until(lambda: tree.at_cursor is not None and tree.at_cursor.item.kind == "object")
                await pilot.press("down", "enter")
                await until(lambda: app.explorer.result.result is not None and app.explorer.result.laid_out)
                await pilot.press("down", "down", "ctrl+q")
    walk = app.recording.walk(Walk(title=""), "mine")
    assert walk is not None
    assert walk.values == {"email": ADA}
    keys = [(), ("down",), ("enter",), ("down", "down")]
    assert [(step.type, step.keys) for step in walk.steps] == list(zip(("{email}", "", "", ""), keys, strict=True))
    assert walk.steps[2].wait == ("Customers · search",)
    (tmp_path / "mine.toml").write_text(written(walk), "utf-8")
    again = read(tmp_path / "mine.toml").with_values({"email": "accounts@aurora.example"})
    page = Export(tmp_path / "walk.md", again)
    assert await play_headless(again, sandbox_of, (80, 24), page.after) == ""
    page.write()
    assert "![Step 4](walk-pictures/04.svg)" in (tmp_path / "walk.md").read_text()
    assert "Padaria" in (tmp_path / "walk-pictures" / "04.svg").read_text().replace("&#160;", " ")


def test_what_is_typed_is_told_from_keys_and_ids_from_words() -> None:
    recording = Recording(["Customer · get"], lambda text: "customer" if text.startswith("cus_") else "")
    recording.type("delete cus_1, cus_2 cus_1", "")
    recording.press("{run}", "")
    recording.press("down", "… Customer · get …")
    recording.press("down", "")
    recording.end("Customer · get")
    walk = recording.walk(Walk(title="", scenario="storm"), "mine")
    assert walk is not None
    assert walk.values == {"customer": "cus_1", "customer_2": "cus_2"}
    assert walk.steps[0].type == "delete {customer}, {customer_2} {customer}"
    assert [(step.keys, step.wait) for step in walk.steps[1:]] == [(("{run}",), ("Customer · get",)), (("down", "down"), ())]
    assert walk.scenario == "storm"
    assert Recording([], lambda text: "").walk(Walk(title=""), "mine") is None


def test_a_walk_knows_no_account_and_no_toolkit_of_the_users(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from registry.catalog.folders import kept_toolkits, toolkit_folders
    from registry.files.folders import config_file

    mine = tmp_path / "callboard" / "toolkits" / "mine"
    mine.mkdir(parents=True)
    (mine / "service.json").write_text("{}")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setenv("CALLBOARD_CONFIG", str(tmp_path / "mine.toml"))
    monkeypatch.setenv("CALLBOARD_TOOLKITS", str(mine))
    assert mine in [one.path for one in toolkit_folders().folders]
    with own_folders(tmp_path / "walk") as environment:
        assert kept_toolkits().is_relative_to(tmp_path / "walk")
        assert all(one.built_in for one in toolkit_folders(environment).folders)
        assert all(config_file(one).is_relative_to(tmp_path / "walk") for one in (environment, os.environ))
    assert kept_toolkits().is_relative_to(tmp_path / "callboard")
    assert config_file(os.environ) == tmp_path / "mine.toml"
    assert config_file(users_environment()) == tmp_path / "mine.toml"


async def test_keys_that_are_pressed_before_the_list_of_walks_is_there_are_for_it() -> None:
    with TemporaryDirectory() as folder:
        async with own_threads():
            app = WalkApp(Session({}, sandbox=lambda: application(), state=Path(folder)), Settings, None)
            async with app.run_test(size=(120, 40)) as pilot:
                await pilot.press("down", "down", "enter")
                await until(lambda: app.next_walk is not None)
    assert app.next_walk is list(built_in().values())[2]


@pytest.mark.long
@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("name", built_in())
async def test_every_walk_goes_to_its_end(name: str, size: tuple[int, int]) -> None:
    assert await play_headless(built_in()[name], sandbox_of, size, nothing) == ""


@pytest.mark.long
@pytest.mark.parametrize("size", SIZES, ids=str)
def test_the_explorer_shows_walks_and_is_as_it_was_afterwards(size: tuple[int, int]) -> None:
    with Terminal(columns=size[0], lines=size[1]) as terminal:
        terminal.wait_for("past due subscriptions")
        terminal.type("past due")
        terminal.wait_for("Subscriptions that are past due")
        terminal.press_at_once("\x1b[1;2Q")
        terminal.wait_for("Find a customer")
        terminal.press("enter")
        terminal.wait_for("Everything begins in the line at the top.")
        # Enter leaves out the time for reading; behind the last step it begins the next walk.
        terminal.press_until("enter", "Play “See why the last payment failed”")
        terminal.press("enter")
        terminal.wait_for("Ask in plain words.")
        terminal.press(" ")
        terminal.wait_for("Paused. ")
        terminal.press("escape")
        terminal.wait_for("Stopped.")
        terminal.press("ctrl+q")
        terminal.wait_for("» past due ")
        assert "Subscriptions that are past due" in terminal.text, "the explorer is as it was"


PICTURES = sorted((ROOT / "tests" / "tools" / "walks").glob("*.toml"))
STEP = '[[steps]]\nkeys = ["enter"]\n'


@pytest.mark.parametrize("name", built_in())
def test_captions_fit_a_narrow_terminal_and_steps_say_what_must_be_on_screen(name: str) -> None:
    walk = built_in()[name]
    assert walk.about
    for step in walk.steps:
        assert step.caption, f"{name}: every step says why"
        # A line of 80 cells holds a caption, the keys that were pressed, and how far the walk is.
        keys = " ".join(dict.fromkeys(keys_of(step, Settings())))
        assert len(walk.caption(step, Settings())) + min(len(keys), 14) + 8 <= 80, step.caption
    waiting = [step for step in walk.steps if step.wait]
    assert len(waiting) >= len(walk.steps) - 1, "a walk that has gone astray stops"
    assert walk.values.keys() >= {one for step in walk.steps for one in walk.values if f"{{{one}}}" in step.type}


def test_walks_are_offered_in_the_order_of_their_places() -> None:
    assert [one.place for one in built_in().values()] == list(range(1, len(built_in()) + 1))
    assert next(iter(built_in())) == "customer"


def test_pictures_have_names_of_their_own_and_every_picture_has_a_walk() -> None:
    walks = [*built_in().values(), *(read(file) for file in PICTURES)]
    names = [step.picture for walk in walks for step in walk.steps if step.picture]
    assert len(set(names)) == len(names)
    drawn = {file.name.rsplit("-", 1)[0] for file in (ROOT / "screenshots").glob("*-*.svg")}  # beside the moving one
    assert drawn == set(names)


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    steps = (Step(caption='"quoted" \x7f ⏎', keys=("enter", "{run}")), Step(type="a\\b {customer}", wait=("ü",), at_least=100))
    walk = Walk(title="Ada’s", values={"customer": "cus_1"}, steps=steps, scenario="storm", name="ada")
    file = tmp_path / "ada.toml"
    file.write_text(written(walk), "utf-8")
    assert read(file) == walk


def test_values_are_replaced_and_no_others() -> None:
    walk = parse('title = "x"\n[values]\ncustomer = "cus_1"\n[[steps]]\ntype = "{customer} {other} {customer}"\n', "x")
    again = walk.with_values({"customer": "{other}"})
    assert again.filled(again.steps[0].type) == "{other} {other} {other}"
    with pytest.raises(WalkError, match=r"has no value costumer\. Its values: customer"):
        walk.with_values({"costumer": "cus_2"})
    with pytest.raises(WalkError, match="customer must be text in one line"):
        walk.with_values({"customer": "cus_2\nrm"})


def test_keys_are_those_of_whoever_watches() -> None:
    settings = Settings(keys={"run": ("ctrl+e",)})
    walk = parse('title = "x"\n[[steps]]\ncaption = "{run} runs it"\nkeys = ["{run}", "/", "Down"]\n', "x")
    assert keys_of(walk.steps[0], settings) == ("ctrl+e", "slash", "down")
    assert walk.caption(walk.steps[0], settings) == "^E runs it"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("title = 1\n" + STEP, r"Expected `str`, got `int` - at `\$.title`"),
        ('title = "x"\n', "steps is missing"),
        ('title = "x"\nworld = "rugh"\n' + STEP, "world must be usual or rough"),
        ('title = "x"\n[[steps]]\nkeys = ["entr"]\n', "step 1: unknown key 'entr'; did you mean enter?"),
        ('title = "x"\n[[steps]]\nkeys = ["{rnu}"]\n', "step 1: unknown key '{rnu}'"),
        ('title = "x"\n[[steps]]\nkeys = ["a"]\ntype = "b"\n', "step 1: has both type and keys"),
        ('title = "x"\n[[steps]]\ntype = "a\\u001b[0m"\n', "step 1: type must be text in one line"),
        ('title = "x"\n[[steps]]\ncaption = "{costumer}"\n', "neither a value of the walk nor a command"),
        ('title = "x"\n[values]\nrun = "1"\n' + STEP, "values.run: use another name"),
        ('title = "x"\n[[steps]]\nshell = "rm"\n', "unknown field `shell`"),
        ('title = "x\n', "not valid TOML"),
    ],
)
def test_a_mistake_is_named_with_its_place(text: str, said: str) -> None:
    with pytest.raises(WalkError, match=said):
        parse(text, "mine")


def test_a_walk_is_found_by_its_name_or_its_file(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text('title = "x"\n' + STEP)
    assert (named("customer").name, named(str(file)).name) == ("customer", "mine")
    with pytest.raises(WalkError, match="unknown walk 'nope'; available: customer"):
        named("nope")
    with pytest.raises(WalkError, match=r"cannot read the file: nope.toml: No such file"):
        named("nope.toml")
