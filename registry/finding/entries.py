"""Search entries as words with weights: tools by their names, operations, types and summaries, ready calls by their phrases."""

from __future__ import annotations

from pathlib import Path

from registry.catalog.model import Tool
from registry.catalog.synonyms import CONTENTS, Vocabulary
from registry.catalog.toolkit_files import folder_of
from registry.finding.ready_calls import SLOT, ReadyCall
from registry.finding.scoring import Entry
from registry.finding.terms import Reader, stem_of

_KINDS = {
    "object": "get read retrieve show details",
    "list": "list all get",
    "search_result": "search find query list all",
    "deletion": "delete remove",
    "file": "download save file",
    "composite": "get find",
}
_VERBS = frozenset(("get", "list", "retrieve", "search", "fetch", "view", "find", "by", "details", "info", "information"))
_NAME, _OBJECT, _SAID, _SUMMARY, _KIND, _VERB, _GROUP, _RULE = 1.0, 0.95, 0.65, 0.55, 0.45, 0.5, 0.4, 0.3
_CONTENT = {"states": (0.64, "can be {}"), "errors": (0.66, "error {}"), "fields": (0.6, "has {}")}
_LEFT_OUT = ("cursor_before", "cursor_after", "limit", "offset", "page", "expand")


class _Words(dict[str, tuple[float, str]]):
    """Stems, each with its best weight and the reason."""

    def take(self, stem: str, weight: float, reason: str = "") -> None:
        if weight > self.get(stem, (0.0, ""))[0]:
            self[stem] = weight, reason

    def add(self, reader: Reader, text: str, weight: float, reason: str = "") -> None:
        for term in reader.terms(text):
            self.take(term.stem, weight, reason.replace("{}", term.word))


def tool_entry(tool: Tool, vocabulary: Vocabulary, reader: Reader) -> Entry:
    """A tool as words."""
    words = _Words()
    objects = " ".join(map(_spoken, tool.returns.objects))
    own = {stem_of(word) for word in objects.split()}
    # The toolkit's name inside a tool's name does not distinguish it from other tools.
    common = {term.stem for term in reader.terms(tool.toolkit)} - own
    for term in reader.terms(tool.own_name):
        words.take(term.stem, _VERB if term.word in _VERBS else _GROUP if term.stem in common else _NAME)
    for text, weight, reason in (
        (objects, _OBJECT, "returns {}"),
        (f"{tool.effect} {_KINDS[tool.returns.kind]}", _KIND, ""),
        (tool.group, _GROUP, "belongs to {}"),
        (tool.toolkit, _GROUP, ""),
        (tool.summary, _SUMMARY, "its summary says {}"),
        (tool.operation, _SUMMARY, "its operation says {}"),
        (tool.rule or "", _RULE, "its rule mentions {}"),
    ):
        words.add(reader, text, weight, reason)
    for parameter in tool.parameters:
        if parameter.role not in _LEFT_OUT:
            words.add(reader, parameter.name.replace("_", " "), _RULE, "takes {}")
            words.add(reader, " ".join(parameter.enum or ()).replace("_", " "), _SAID, "takes {}")
    contents = vocabulary.contents.get(folder_of(tool.toolkit) or Path(), {})
    for part in CONTENTS:
        weight, reason = _CONTENT[part]
        for type_ in tool.returns.objects:
            for said in contents.get(part, {}).get(type_, "").split():
                words.add(reader, _spoken(said), weight, reason.format(said))
    return Entry(words)


def call_entry(call: ReadyCall, tool: Tool, reader: Reader) -> Entry:
    """A ready call as words and phrases."""
    words, phrases = _Words(), []
    for text in call.words:
        slots = [f"{{{slot['name']}}}" for slot in SLOT.finditer(text)]
        phrases.append([*slots, *(term.stem for term in reader.terms(SLOT.sub(" ", text)))])
        words.add(reader, SLOT.sub(" ", text), 0.9)
    words.add(reader, SLOT.sub(" ", call.title), 0.8)
    words.add(reader, " ".join(map(_spoken, tool.returns.objects)), 0.6)
    for text in call.texts:
        words.add(reader, SLOT.sub(" ", text).replace("_", " "), 0.7)
    return Entry(words, phrases)


def _spoken(text: str) -> str:
    return text.replace("_", " ").replace(".", " ")
