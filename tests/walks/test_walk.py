"""Walks as data: what their files may say, what is wrong in one, and that those that come with the program hold."""

from pathlib import Path

import pytest

from tests.terminal import ROOT
from tui.state.settings import Settings
from tui.walks.walk import Step, Walk, WalkError, built_in, keys_of, named, parse, read, written

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
