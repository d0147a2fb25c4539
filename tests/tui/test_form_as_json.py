"""The form as JSON, and the editor."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual.widgets import Static

from registry.accounts.secrets import MASK
from tests.tui.app import Desk, desk
from tests.tui.test_form import error, field, request, state
from tests.tui.test_out import closed, files, said
from tui.app import CallboardApp
from tui.dialogs.choose import ChooseDialog
from tui.explorer.fields.json_area import RawArguments
from tui.explorer.fields.text import TextField
from tui.explorer.parameter_form import ParameterForm
from tui.session import Session
from tui.terminal.external_programs import NotOpened, edit, editor


def has_text(form: ParameterForm) -> bool:
    return form.text is not None


async def as_json(one: Desk, text: str | None = None) -> RawArguments:
    """Show the form as JSON. If a text is given, type it there instead."""
    if one.screen.form.text is None:
        await one.press("ctrl+t")
        await one.until(lambda: one.screen.form.text is not None)
        await one.pilot.pause()
    raw = one.screen.form.text
    assert raw is not None
    if text is not None:
        raw.area.put(text)
        await one.pilot.pause()
    return raw


def mistakes(one: Desk) -> str:
    return str(one.screen.form.query_one("#mistakes", Static).render())


async def test_fields_and_json_are_the_same_arguments_and_an_invalid_text_is_never_lost() -> None:
    async with desk((80, 24)) as one:
        await one.open("ListIncidents")
        form = one.screen.form
        form.fill({"limit": "5", "team_ids": ["A", "B"], "since": ""})
        field(one, "team_ids").focus_editor()
        raw = await as_json(one)
        assert json.loads(raw.area.text) == {"limit": 5, "team_ids": ["A", "B"], "since": ""}
        assert one.app.focused is raw.area
        assert raw.here == "team_ids", "the cursor stands where it stood in the fields"
        # Typing is seen in the request at once, letter by letter.
        raw.go_to("limit")
        await one.press("right", "0")
        await one.until(lambda: "limit=50" in request(one))
        await as_json(one, '{"limit": 1.10, "urgency": "high"}')
        assert mistakes(one).startswith('✗ 1:11 `limit` must be a whole number from 1 to 50; got "1.10"')
        assert form.raw == {"limit": "1.10", "urgency": "high"}
        assert state(one) == "1 invalid"
        await one.press("f5")
        assert not one.app.session.results.of("ListIncidents")
        assert raw.area.cursor_location == (0, 10), "a run that cannot be goes to the mistake"
        # What the fields are told from elsewhere is in the text, and undoing brings the former text back.
        form.fill({"limit": "7"})
        assert json.loads(raw.area.text) == {"limit": 7}
        raw.area.undo()
        await one.until(lambda: form.raw == {"limit": "1.10", "urgency": "high"})
        await as_json(one, '{"limit": 3,\n "urgency": "high"}')
        raw.go_to("limit")
        await one.press("ctrl+t")
        await one.until(lambda: not has_text(form))
        await one.until(lambda: form.raw == {"limit": "3", "urgency": "high"})
        assert field(one, "limit").has_focus_within
        await as_json(one)
        await one.run()
        assert one.screen.result.result is not None
        assert dict(one.screen.result.result.arguments) == {"limit": 3, "urgency": "high"}

        await one.open("ListIncidents")
        form = one.screen.form
        form.fill({"limit": "5"})
        raw = await as_json(one, '{\n  "limt": 7\n}')
        assert "✗ 2:3 `limt` is not a parameter of ListIncidents; did you mean `limit`?" in mistakes(one)
        assert state(one) == "fix the JSON"
        assert form.raw == {"limit": "5"}
        await one.press("f5")
        assert raw.area.cursor_location == (1, 2)
        # Another tool and back: it stands as it was left.
        await one.open("GetIncident")
        assert not has_text(form)
        await one.open("ListIncidents")
        assert form.text is not None
        assert form.text.area.text == '{\n  "limt": 7\n}'
        for answer in ("escape", "enter"):
            await one.press("ctrl+t")
            await one.until(lambda: isinstance(one.app.screen, ChooseDialog))
            await one.pilot.pause()
            await one.press(answer)
            await closed(one)
            assert form.text is not None
            assert form.text.area.text == '{\n  "limt": 7\n}'
        await one.press("ctrl+t")
        await one.until(lambda: isinstance(one.app.screen, ChooseDialog))
        await one.press("down", "enter")
        await one.until(lambda: not has_text(form))
        assert form.raw == {"limit": "5"}

        await one.open("RetrievePaymentIntentDetails")
        form = one.screen.form
        form.fill({"payment_intent_id": "pi_1", "payment_intent_client_secret": "MARKED"})
        raw = await as_json(one)
        assert MASK in raw.area.text
        assert "MARKED" not in one.app.export_screenshot()
        await as_json(one, raw.area.text.replace("pi_1", "pi_\u202e2"))
        assert form.raw == {"payment_intent_id": "pi_\u202e2", "payment_intent_client_secret": "MARKED"}
        assert "\u202e" not in raw.area.text
        assert "pi_\\u202e2" in raw.area.text
        assert "\u202e" not in one.app.export_screenshot()


def edits(monkeypatch: pytest.MonkeyPatch, change: Callable[[str], str]) -> list[str]:
    """Stands in for the editor. Yields the texts that it was given."""
    given: list[str] = []

    async def stand_in(app: Any, text: str, ending: str) -> str:
        given.append(text)
        return change(text)

    monkeypatch.setattr("tui.explorer.export_actions.edit", stand_in)
    return given


async def test_a_field_in_the_editor(monkeypatch: pytest.MonkeyPatch) -> None:
    async with desk((80, 24)) as one:
        await one.open("ListIncidents")
        form = one.screen.form

        async def edited(name: str, change: Callable[[str], str]) -> tuple[str, str]:
            given = edits(monkeypatch, change)
            field(one, name).focus_editor()
            await one.pilot.pause()
            await one.press("ctrl+o")
            await one.until(lambda: name in said(one) or "Nothing was changed" in said(one), said(one))
            words = said(one)
            one.screen.say("")
            await one.pilot.pause()
            return "".join(given), words

        form.fill({"team_ids": ["A", "B, C"]})
        assert await edited("team_ids", lambda text: text) == ("A\nB, C\n", " Nothing was changed.")
        assert await edited("team_ids", lambda text: text + "\nD\n") == ("A\nB, C\n", " ✓ team_ids updated")
        assert form.raw == {"team_ids": ["A", "B, C", "D"]}
        # Several lines in one: kept exactly, shown as one line, and the rule that is broken is told.
        assert (await edited("since", lambda text: "2099-03-01\nor so\n"))[1] == " ✓ since updated (2 lines)"
        assert form.raw["since"] == "2099-03-01\nor so"
        assert error(one, "since") == "✗ contains a control character at position 11 (U+000A); remove it"
        since = field(one, "since")
        assert isinstance(since, TextField)
        assert since.line.value == "2099-03-01\\nor so"
        assert (await edited("since", lambda text: text.split("\n")[0]))[0] == "2099-03-01\nor so\n"
        assert "since=2099-03-01T00:00:00Z" in request(one)
        assert (await edited("since", lambda text: ""))[1] == " since is now not set."
        assert "since" not in form.raw
        assert "urgency has fixed values" in (await edited("urgency", lambda text: "x"))[1]
        # The JSON goes there as a whole.
        given = edits(monkeypatch, lambda text: '{"limit": 7}\n')
        await as_json(one)
        await one.press("ctrl+o")
        await one.until(lambda: form.raw == {"limit": "7"})
        assert json.loads(given[0]) == {"team_ids": ["A", "B, C", "D"]}

        await one.open("RetrievePaymentIntentDetails")
        given = edits(monkeypatch, lambda text: text)
        form.fill({"payment_intent_client_secret": "MARKED"})
        assert "is a secret and cannot be edited in a file" in (await edited("payment_intent_client_secret", str))[1]
        assert given == []


async def test_what_goes_wrong_with_an_editor_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    assert editor({"VISUAL": "code --wait", "EDITOR": "vi"}) == ["code", "--wait"]
    assert editor({"EDITOR": "vi; touch x"}) == ["vi;", "touch", "x"]
    with pytest.raises(NotOpened, match=r"\$VISUAL has an unclosed quote"):
        editor({"VISUAL": "vi '", "EDITOR": "vi"})
    with pytest.raises(NotOpened, match=r"No editor found. Set \$EDITOR"):
        editor({"PATH": "/nowhere"})
    monkeypatch.setenv("EDITOR", "true")
    monkeypatch.delenv("VISUAL", raising=False)
    async with desk() as one:
        await one.open("GetIncident")
        await one.press("ctrl+o")
        await one.until(lambda: "This terminal cannot run an editor" in said(one))


class Lent(CallboardApp):
    """A terminal that is lent without there being one."""

    def suspend(self) -> Any:
        from contextlib import nullcontext

        return nullcontext()


@pytest.mark.parametrize(
    ("command", "told_"),
    [
        ("false", "false exited with status 1. Nothing was changed."),
        ("/nowhere/vi", "Cannot start /nowhere/vi: No such file or directory."),
        ('sh -c \'printf "\\377" > "$0"\'', "The text is not valid UTF-8 (byte 1). Nothing was changed."),
        ("rm", "The file was deleted. Nothing was changed."),
        ("truncate -s 1000001", "The text is too long (limit 1,000,000 bytes). Nothing was changed."),
    ],
)
async def test_editors_that_fail(command: str, told_: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VISUAL", command)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with pytest.raises(NotOpened) as told_by:
        await edit(Lent(Session({})), "before", ".txt")
    assert str(told_by.value) == told_
    assert files(tmp_path) == []


async def test_the_editors_file_is_its_owners_alone_and_goes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    script = tmp_path / "my editor"
    script.write_text('#!/bin/sh\nstat -c %a "$(dirname "$2")" > seen\ncp "$2" "$2~"\nprintf "%s" "$1" >> "$2"\n')
    script.chmod(0o700)
    monkeypatch.setenv("VISUAL", f"'{script}' ' é\r\n'")
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    assert await edit(Lent(Session({})), "before", ".txt") == "before é\n"
    assert (Path.cwd() / "seen").read_text() == "700\n"
    assert files(tmp_path / "temporary") == []
