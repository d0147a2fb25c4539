"""Other ways to fill the form than its fields: JSON, the user's editor."""

from tui.dialogs.choose import Choice, ChooseDialog
from tui.explorer.explorer import Explorer
from tui.explorer.fields.field import Field
from tui.explorer.fields.json_area import JsonArea
from tui.explorer.fields.structured import JsonField
from tui.terminal.external_programs import NotOpened, edit

_DONE = "$text-success"


async def raw_json(context: Explorer) -> None:
    """Switch between the fields and JSON; invalid text is discarded only when the user confirms."""
    form = context.form
    if context.tool is None:
        context.say("Open a tool first.")
        return
    if form.text is None:
        await form.open_text()
        form.focus_first()
        return
    form.text.read()
    if form.text.blocked:
        choices = [Choice("Keep editing", "go to the error"), Choice("Discard the text", "go back to the last valid values")]
        if not await context.app.push_screen_wait(ChooseDialog("The JSON is not valid", choices, (False, True), "Select")):
            form.text.go_to_mistake()
            return
    await form.close_text()
    form.focus_again()


async def in_editor(context: Explorer) -> None:
    """Open the field that has the focus, or the JSON, in the user's editor."""
    form = context.form
    if context.tool is None:
        context.say("Open a tool first.")
        return
    try:
        if form.text is not None:
            words = await _edit_area(context, form.text.area, "JSON")
        elif form.field is not None:
            words = await _edit_field(context, form.field)
        else:
            raise NotOpened("Go to a field first.")
    except NotOpened as error:
        context.say(str(error))
    else:
        context.say(words, _DONE)


async def _edit_area(context: Explorer, area: JsonArea, name: str) -> str:
    edited = (await edit(context.app, area.text + "\n", ".json")).rstrip("\n")
    if edited == area.text:
        return "Nothing was changed."
    area.put(edited)
    return f"✓ {name} updated"


async def _edit_field(context: Explorer, field: Field) -> str:
    parameter = field.parameter
    if parameter.role == "secret":
        raise NotOpened(f"{parameter.name} is a secret and cannot be edited in a file. Type it here.")
    if isinstance(field, JsonField):
        return await _edit_area(context, field.area, parameter.name)
    if parameter.type in ("boolean", "one_of", "object") or parameter.enum:
        raise NotOpened(f"{parameter.name} has fixed values: choose with ← and →.")
    is_list, before = parameter.type == "array", field.raw
    text = "\n".join(map(str, before)) if isinstance(before, list) else str(before or "")
    edited = await edit(context.app, text + "\n" if text else "", ".txt")
    # Editors add a line break at the end of a text.
    edited = edited.removesuffix("\n")
    if edited == text:
        return "Nothing was changed."
    lines = edited.split("\n")
    given = [line for line in lines if line.strip()] if is_list else edited
    field.raw = given if edited.strip("\n") else None
    field.changed()
    if field.raw is None:
        return f"{parameter.name} is now not set."
    return f"✓ {parameter.name} updated" + ("" if is_list or len(lines) == 1 else f" ({len(lines)} lines)")
