"""Search entries as words with weights: tools by their names, operations, types and summaries, ready calls by their phrases."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
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


def tool_entry(tool: Tool, vocabulary: Vocabulary, reader: Reader) -> Entry:
    """A tool as words."""
    words = _Words(reader)
    objects = " ".join(tool.returns.objects).replace(".", " ").replace("_", " ")
    own = {stem_of(word) for word in objects.split()}
    # The toolkit's name inside a tool's name does not distinguish it from other tools.
    common = {term.stem for term in reader.terms(tool.toolkit)} - own
    for term in reader.terms(tool.own_name):
        words.take(term.stem, _VERB if term.word in _VERBS else _GROUP if term.stem in common else _NAME, "")
    words.add(objects, _OBJECT, "returns {}")
    words.add(f"{tool.effect} {_KINDS[tool.returns.kind]}", _KIND, "")
    words.add(tool.group, _GROUP, "belongs to {}")
    words.add(tool.toolkit, _GROUP, "")
    words.add(tool.summary, _SUMMARY, "its summary says {}")
    words.add(tool.operation, _SUMMARY, "its operation says {}")
    words.add(tool.rule or "", _RULE, "its rule mentions {}")
    for parameter in tool.parameters:
        if parameter.role not in _LEFT_OUT:
            words.add(parameter.name.replace("_", " "), _RULE, "takes {}")
            words.add(" ".join(parameter.enum or ()).replace("_", " "), _SAID, "takes {}")
    contents = vocabulary.contents.get(folder_of(tool.toolkit) or Path(), {})
    for part in CONTENTS:
        weight, reason = _CONTENT[part]
        for type_ in tool.returns.objects:
            for said in contents.get(part, {}).get(type_, "").split():
                words.add(said.replace("_", " ").replace(".", " "), weight, reason.format(said))
    return words.entry()


def call_entry(call: ReadyCall, tool: Tool, reader: Reader) -> Entry:
    """A ready call as words and phrases."""
    words = _Words(reader)
    phrases = []
    for text in call.words:
        phrase = [f"{{{slot['name']}}}" for slot in SLOT.finditer(text)]
        phrase += [term.stem for term in reader.terms(SLOT.sub(" ", text))]
        phrases.append(phrase)
        words.add(SLOT.sub(" ", text), 0.9, "")
    words.add(SLOT.sub(" ", call.title), 0.8, "")
    words.add(" ".join(tool.returns.objects).replace(".", " ").replace("_", " "), 0.6, "")
    for value in call.arguments.values():
        for text in [value] if isinstance(value, str) else value:
            words.add(SLOT.sub(" ", text).replace("_", " "), 0.7, "")
    return words.entry(phrases)


class _Words:
    """Collects words, each with the best weight and its reason."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._found: dict[str, tuple[float, str]] = {}

    def take(self, stem: str, weight: float, reason: str) -> None:
        if weight > self._found.get(stem, (0.0, ""))[0]:
            self._found[stem] = weight, reason

    def add(self, text: str, weight: float, reason: str) -> None:
        for term in self._reader.terms(text):
            self.take(term.stem, weight, reason.format(term.word) if "{}" in reason else reason)

    def entry(self, phrases: Iterable[Sequence[str]] = ()) -> Entry:
        return Entry(self._found, list(phrases))
