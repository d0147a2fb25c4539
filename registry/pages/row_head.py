"""The head of an object's page from the object alone, without a request: for the row at the cursor of a list."""

from collections.abc import Callable

from msgspec import Struct
from msgspec.structs import replace

from registry.calling.sensitive import mask
from registry.json_text.reading import NotJson, read_json
from registry.pages.build import context_of, default_page, headline_of, title_of, type_of, unwrapped
from registry.pages.definition import RuleDefinition, Tone, pages_of
from registry.pages.page import ObjectPage, Subject
from registry.references.knowledge import knowledge
from registry.results.templates import Context, fill, paths_in, value_at


class RowHead(Struct, frozen=True):
    """A sentence, its tone, the object's id, and the facts that people ask for next."""

    sentence: str = ""
    tone: Tone = "text"
    id: str = ""
    facts: tuple[str, ...] = ()


def head_of(item: bytes, toolkit: str, otherwise: str, name_of: Callable[[str], str], now: float) -> RowHead:
    """The head of an item of a list; `otherwise` is its type if it does not say one, `name_of` returns the names of ids."""
    try:
        values = unwrapped(read_json(mask(item)[0]), otherwise)
    except NotJson:
        values = None
    if values is None:
        return RowHead()
    type_ = type_of(values, knowledge(toolkit), otherwise)
    definition = pages_of(toolkit).objects.get(type_) or default_page(type_)
    title = _named(title_of(definition, values, str(values.get("id", ""))), definition.title, Context(values), name_of)
    page = ObjectPage(Subject(type_, str(values.get("id", "")), "", {}), toolkit, title, object=values, now=now)
    # Without the rules for which other calls would be needed.
    sentence, tone = headline_of(replace(definition, headline=tuple(one for one in definition.headline if not one.needs)), page)
    context = context_of(page)
    # A fact that is a rule is about what a section reads.
    wanted = [one for one in definition.facts if not isinstance(one, RuleDefinition) and one != "{id}"]
    facts = [(one, _named(fill(one, context), one, context, name_of)) for one in wanted]
    said = dict.fromkeys(text for _, text in facts if text and text not in sentence)
    return RowHead(sentence, tone, fill("{id}", context), tuple(said))


def _named(text: str, template: str | tuple[str, ...], context: Context, name_of: Callable[[str], str]) -> str:
    """A filled text with names in place of the ids in it."""
    for path in (path for one in ((template,) if isinstance(template, str) else template) for path in paths_in(one)):
        value = value_at(path, context)
        if isinstance(value, str) and value and path != "id" and (name := name_of(value)):
            text = text.replace(value, name)
    return text
