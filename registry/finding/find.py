"""The search of the ask line, the tree, the palette and ``callboard find``: results for a text, best first; never empty."""

import re
import time
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import tzinfo
from functools import cached_property, lru_cache

from msgspec.structs import replace

from registry.catalog.listing import asks_for_deletion, vocabulary
from registry.catalog.loader import Catalog
from registry.catalog.model import Tool
from registry.finding.items import EXACT, FEWEST, Item, Kind, OwnCall, first_of
from registry.finding.ready_calls import SLOT, TIMES, ReadyCall, answer_in, filled, narrowed, ready_calls, shown, with_values
from registry.finding.requests import call_of
from registry.finding.scoring import (
    VERBS,
    Entry,
    Fit,
    Reader,
    Scorer,
    Term,
    as_typed,
    call_entry,
    folded,
    plainly,
    stem_of,
    tool_entry,
)
from registry.finding.slots import AROUND, UNSEARCHED, Slots, slots_in, take_name
from registry.journal.entries import REQUEST, KnownObject
from registry.references.knowledge import knowledge
from registry.references.routes import Routes, longest_part
from registry.references.targets import missing_from, pasted, words_for

_LONGEST = 4_000
_ID = re.compile(r"[A-Za-z0-9_.-]{4,255}")
_COMPARES = re.compile(r"\s*compare\s+(.{2,80}?)\s+(?:with|and|to|against|vs\.?)\s+(.{2,80}?)\W*", re.IGNORECASE)
_SAID = ("name", "email", "number", "phone", "last4", "money", "currency")  # the slots whose values are words of the question
_READ = 200  # of many tools that fit, the best ones are looked at closely
_USES, _LACKS_ID = 0.12, 0.035
_PASTED, _SURE = 1.3, 0.9
INITIALS = "word beginnings"
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_HARM = ("read", "write", "delete")
_LISTS = ("list", "search_result", "composite")
_CHANGES = frozenset(map(stem_of, ("create", "update", "delete", "remove")))
_NOTHING = "No match. Here are calls to start with."


@lru_cache(maxsize=1)
def _entries_of(catalog: Catalog) -> tuple[Reader, Sequence[ReadyCall], Sequence[Entry]]:
    """The ready calls of a catalogue, and the entries of these and of its tools, cached: this takes most of a finder's time."""
    words, calls = vocabulary(), ready_calls(catalog.tools)
    reader = Reader(words.phrases)
    entries = [call_entry(call, catalog.tools[call.tool], reader) for call in calls]
    return reader, calls, [*entries, *(tool_entry(tool, words, reader) for tool in catalog.tools.values())]


class Finder:
    """Searches a catalogue, and the user's saved calls: of equally good matches these come first."""

    def __init__(self, catalog: Catalog, own: Sequence[OwnCall] = ()) -> None:
        self._catalog = catalog
        self._own = [one for one in own if one.tool in catalog.tools]
        reader, self._ready_calls, entries = _entries_of(catalog)
        self._terms = reader.terms
        saved = [ReadyCall(one.title, (one.title,), one.tool) for one in self._own]
        self._calls = [*saved, *self._ready_calls]
        saved_entries = [call_entry(call, catalog.tools[call.tool], reader) for call in saved]
        self._tools = list(catalog.tools.values())
        self._scorer = Scorer([*saved_entries, *entries], vocabulary())
        # The tools that have a name or a summary, and the stems of the words for types of objects; made at once, because a
        # finder is made in a thread, and searches while somebody types.
        self._exact: defaultdict[str, list[str]] = defaultdict(list)
        for tool in self._tools:
            for text in {plainly(tool.name), plainly(tool.own_name), plainly(tool.summary)}:
                self._exact[text].append(tool.name)
        types = {type_ for tool in self._tools for type_ in tool.returns.objects}
        self._nouns = frozenset(stem for one in types for stem in self._stems(words_for(one)))
        # The types of objects that tools show one by one and none lists, by their words in the plural.
        listed = {type_ for tool in self._tools if tool.returns.kind in _LISTS for type_ in tool.returns.objects}
        read = {type_ for tool in self._tools if tool.effect == "read" for type_ in tool.returns.objects}
        self._unlisted = {f"{words_for(one)}s": one for one in read - listed}
        # The types of objects that can be found by a name.
        by_name = [catalog.tools[call.tool] for call in self._ready_calls if call.needed == {"name"}]
        self._by_name = {type_ for tool in by_name for type_ in tool.returns.objects}

    def _says_nothing(self, term: Term) -> bool:
        return term.word in VERBS or self._scorer.is_filler(term)

    @cached_property
    def _routes(self) -> Routes:
        return Routes(self._catalog)

    def find(
        self, text: str, now: float | None = None, here: tzinfo | None = None, known: Sequence[KnownObject] = ()
    ) -> list[Item]:
        """The results for a text, best first; suggestions to start with if the text is empty or nothing matches.

        Args:
            text: words, an id, an address, a ``curl`` command, an amount, in any mixture.
            now: the current time in Unix seconds; by default the system clock's.
            here: this machine's time zone; by default the system's.
            known: objects that it may name. One that it names comes first, and fills the fields of the tools below it.
        """
        text = text.strip()[:_LONGEST]
        if "." in text and (named := self._catalog.find(text)) is not None:
            return [self._item("tool", named.name, {}, named.summary, "")]
        if (link := call_of(text, self._catalog)) is not None:
            if link.tool is not None:
                return [self._item("call", link.tool.name, link.arguments, link.tool.summary, link.why)]
            return [replace(one, why=one.why or link.why) for one in self.find(link.text, now, here)]
        slots = self._read(text, time.time() if now is None else now, here)
        by_id = self._by_id(slots)
        objects = [*self._recognised(slots, known), *by_id]
        found = [*objects, *self._by_words(slots), *([] if objects else self._by_initials(text))]
        if not objects and REQUEST in self._types(text):
            why = "A request id. No tool can get a request; the history finds its calls"
            found.insert(0, Item("object", "", {}, "read", f"Request {text}", why, _PASTED))
        found = self._ordered(found, slots)
        if slots.odd:
            found = [replace(one, why=f"Not understood: {', '.join(slots.odd)}. Without it:") for one in found]
        return first_of(found) or self._start(_NOTHING if text else "")

    def _ordered(self, found: Sequence[Item], slots: Slots) -> list[Item]:
        """Best first: objects, what uses all words, or name, nouns and verbs; last, changes that nobody asked for.

        Without deletions that the question does not ask for.
        """
        deletes = asks_for_deletion(slots.text)
        found = [
            one for one in found if one.effect != "delete" or one.why == INITIALS or (deletes and self._is_named(one, slots))
        ]
        said, text = self._terms(slots.rest), slots.text
        name = slots.value("name") if slots.named and not slots.spoken else ""
        apart = " ".join(one for one in slots.rest.split() if "-" not in one)  # the parts of checkout-api are no nouns
        nouns = {as_typed(one, text) for one in self._terms(apart) if one.stem in self._nouns}
        # The words that mean a change.
        meanings = [(one, self._scorer.meanings(one)) for one in (said if deletes else said[:1])]
        verbs = {as_typed(one, text) for one, meant in meanings if any(not _CHANGES.isdisjoint(two.stems) for two in meant)}
        # What is to be done with the objects, and nothing that was found for them does.
        spoken = {slots.spoken.get(id_, id_) for id_ in slots.ids.values()}
        unused = [one.without for one in found if one.kind != "object" and spoken.isdisjoint(one.without)]
        asked = (one for one in said[:1] if one.stem not in self._nouns and not self._says_nothing(one))
        undone = tuple(one.word for one in asked if all(one.word in words for words in unused))
        objects = [replace(one, without=undone) for one in found if one.kind == "object"]

        def order(one: Item) -> tuple[bool | float, ...]:
            lacks_verb = not verbs.isdisjoint(one.without)
            lacks = bool(one.without), name in one.without, not nouns.isdisjoint(one.without), lacks_verb
            return one.score < EXACT, one.effect == "write" and (not verbs or lacks_verb), *lacks, -one.score

        others = sorted((one for one in found if one.kind != "object"), key=order)
        return [*sorted(objects, key=lambda one: -one.score), *others]

    def names_in(self, text: str) -> list[str]:
        """The words of a text that name something: ids, addresses, names; otherwise the whole text."""
        if sides := _sides(text):
            return [name for side in sides for name in self.names_in(f"named {side}")]
        slots = self._read(text)
        if found := [*slots.ids.values(), *(slots.values[one] for one in ("email", "number") if one in slots.values)]:
            return list(dict.fromkeys(found))
        return [one for one in re.findall(r"[^\s\"&]{2,}", slots.value("name")) if one[0].isalpha()] or [slots.text]

    def lookups(self, text: str, *, in_part: bool = False) -> list[Item]:
        """The calls that look for the name, the address or the number in a text, and for nothing else.

        A text without any is a name. With `in_part`, they look for the longest part of a name of several, as the service may
        spell the rest in another way; `is_named` tells what has the name.
        """
        if sides := _sides(text):
            return [item for side in sides for item in self.lookups(f"named {side}", in_part=in_part)]
        slots = self._read(text)
        if not slots.ids and not slots.values and slots.span is None:
            slots.values["name"] = slots.text
        if in_part:
            part = longest_part(slots.value("name"))
            slots.values["name"] = part if part != slots.value("name") else ""
        calls = [one for one in self._ready_calls if one.needed and SLOT.search(one.title) and not one.filter]
        found = [(one, filled(one, slots)) for one in calls if one.needed <= {"name", "email", "number"}]
        return [self._item("call", one.tool, arguments, one.title) for one, arguments in found if arguments is not None]

    def is_named(self, label: str, text: str) -> bool:
        """Whether a label has the name in a text, in whatever spelling."""
        name = folded(self.name_in(text) or text)
        return all(f" {word}" in f" {folded(label)}" for word in name.split())

    def name_in(self, text: str) -> str:
        """The name or address in a text, without the words of the question; empty if there is none, or an id."""
        slots = self._read(text)
        return "" if slots.ids else slots.values.get("email") or slots.value("name")

    def _read(self, text: str, now: float = 0.0, here: tzinfo | None = None) -> Slots:
        """What a text has besides words."""
        slots = slots_in(text.strip()[:_LONGEST], now, here)
        for word in slots.text.replace(slots.value("phone"), "").split():
            part = word.strip(AROUND)
            if types := self._types(part):
                slots.ids |= dict.fromkeys(types, part.removeprefix("#"))
                slots.rest = slots.rest.replace(part, " ")
                slots.values.pop("last4", None)
        take_name(slots, self._is_known)
        return slots

    def _is_known(self, word: str, is_capital: bool) -> bool:
        """Whether a word is in the vocabulary; with a capital, or a hyphen inside, it has to be spelled right and whole."""
        terms, scorer = self._terms(word), self._scorer
        if not terms:
            return not any(map(str.isalpha, word))
        is_loose = not is_capital and len(terms) == 1
        return all(
            scorer.is_known(one) or one.word[0].isdigit() or one.word in UNSEARCHED or (is_loose and bool(scorer.meanings(one)))
            for one in terms
        )

    def _recognised(self, slots: Slots, known: Sequence[KnownObject]) -> list[Item]:
        """The known objects that a question names. Where it is the only one of its type, tools take its id."""
        text, email, number = f" {folded(slots.text)} ", slots.value("email").lower(), slots.value("number")
        names = [folded(one).split() for one in (slots.value("name"), *_sides(slots.text))]

        def is_named(one: KnownObject) -> bool:
            label, title = f" {folded(one.label)}", folded(one.label.partition(" · ")[0])
            return (
                one.id in (*slots.ids.values(), slots.text)
                or bool(email and email in one.label.lower())
                or bool(number and number in one.label)
                or any(words and all(f" {word}" in label for word in words) for words in names)
                or (f" {title} " in text and (" " in title or title == text.strip()))
            )

        named = [one for one in known if is_named(one)]
        of_type = Counter(one.type for one in named)
        items = []
        for one in named[:FEWEST]:
            title = one.label.partition(" · ")[0]
            if of_type[one.type] == 1:
                slots.ids[one.type] = one.id
                slots.spoken[one.id] = slots.value("name") or slots.value("email") or title
                slots.labels[one.id] = title
                slots.rest = re.sub(rf"(?i)\b{re.escape(title)}(?!\w)", " ", slots.rest)
            item = self._item("object", one.tool, one.arguments, title or one.id)
            items.append(replace(item, id=one.id, type=one.type, score=EXACT))
        return items

    def _by_words(self, slots: Slots) -> list[Item]:
        said = self._terms(slots.rest)
        typed = {*slots.values, *slots.ids, *(("since",) if slots.span else ())}
        fits = self._scorer.fits(said, typed, _READ)
        exact = self._exact.get(plainly(slots.text), ())
        items = list[Item]()
        for place, fit in fits.items():
            if place >= len(self._calls):
                item = self._tool(self._tools[place - len(self._calls)], fit, said, slots)
                items.append(replace(item, score=EXACT + item.score, without=()) if item.tool in exact else item)
            elif (call := self._call(place, fit, said, slots)) is not None:
                items.append(call)
        # If several of what no tool lists are asked for, say so, and put first the tools that show one of them.
        words = f" {' '.join(term.word for term in said)} "
        noun = max((one for one in self._unlisted if f" {one} " in words), key=len, default="")
        if not noun or any(one.kind == "call" and one.score >= _SURE for one in items):
            return items
        why = f"No tool lists {noun}; these show one:"
        return [
            replace(one, why=why, score=one.score + EXACT)
            if one.effect == "read" and self._catalog.tools[one.tool].returns.objects == (self._unlisted[noun],)
            else one
            for one in items
        ]

    def _without(self, tool: Tool, slots: Slots, fit: Fit, used: AbstractSet[str]) -> tuple[str, ...]:
        """The typed words that a result does not use, in their order; `used` are the slots and the ids that it uses."""
        # What names an object is looked up for the id that a change lacks.
        if tool.effect != "read" and any(not self._by_name.isdisjoint(one.refers_to) for one in tool.parameters):
            used = {*used, "name", "email", slots.value("name"), slots.value("email")}
        left = [
            as_typed(term, slots.text)
            for term in self._terms(slots.rest)
            if term.word not in fit.used and not self._says_nothing(term)
        ]
        known = {slots.spoken.get(id_, id_): id_ for id_ in slots.ids.values()}
        left += [said for said, id_ in known.items() if used.isdisjoint((said, id_))]
        left += [said for name in _SAID if (said := slots.values.get(name)) and name not in used and said not in known]
        if slots.span is not None and used.isdisjoint(TIMES):
            left.append(slots.span.said)
        text = slots.text.lower()
        return tuple(sorted((*left, *slots.lost), key=lambda one: text.find(one.lower())))

    def _by_initials(self, text: str) -> list[Item]:
        """Tools by the first letters of the words in their names: ``delinv``, ``escpol``."""
        if " " in text or not text.isalpha() or any(map(self._scorer.meanings, self._terms(text))):
            return []
        # Each letter follows the one before it, or starts a later word.
        begun = re.compile(r"(?<!\S)" + r"(?:|\S*\s(?:\S+\s)*?)".join(map(re.escape, text.lower())))
        found = [tool for tool in self._tools if begun.search(" ".join(_WORDS.findall(tool.name)).lower())]
        # First what does least harm, of that the shortest name.
        found.sort(key=lambda tool: (_HARM.index(tool.effect), tool.deprecated, len(tool.name)))
        scores = (EXACT + 0.1 - place * 0.01 for place in range(FEWEST))
        return [
            self._item("tool", tool.name, {}, tool.summary, INITIALS, score) for tool, score in zip(found, scores, strict=False)
        ]

    def _call(self, place: int, fit: Fit, said: Sequence[Term], slots: Slots) -> Item | None:
        """A saved or a ready call; None if a value that it needs was not typed."""
        if place < len(self._own):
            own = self._own[place]
            why = f"saved, from {own.shared}" if own.shared else "saved"
            named = folded(own.title) == folded(slots.text)
            return self._item("call", own.tool, own.arguments, own.title, why, EXACT if named else fit.score)
        call = self._calls[place]
        tool = self._catalog.tools[call.tool]
        is_found = bool(slots.spoken) and not call.filter and not call.needed.isdisjoint(("name", "email"))
        if is_found or (arguments := filled(call, slots)) is None:
            return None
        added = narrowed(tool, arguments, slots, [term.word for term in said])
        names = {slot["name"] for slot in call.slots}
        timed = f", {slots.span.said}" if slots.span is not None and not names.isdisjoint(TIMES) else ""
        alike = {"money", "currency"} if "amount" in names else set()
        fit = fit._replace(used={*fit.used, *map(str.lower, added.values())} - set(call.unused.split()))
        without = self._without(tool, slots, fit, {*names, *alike, *added, *added.values(), *map(slots.value, names)})
        # The amount says its currency.
        besides = [slots.labels.get(one, one) for slot, one in added.items() if slot != "currency" or "money" not in added]
        title = shown(call.title, slots)
        title += "".join(f", {label}" for label in dict.fromkeys(besides) if label not in title) + timed
        found = self._item("call", call.tool, arguments, title, call.why)
        if slots.spoken and call.filter:
            # Others may have the name, too.
            if without:
                return None
            fit = fit._replace(score=fit.score / 2)
        score = fit.score + _USES * bool(call.needed and not call.filter) - _LACKS_ID * bool(found.missing)
        narrow, answer = with_values(call.filter, slots), answer_in(call, slots)
        return replace(found, score=score, without=without, filter=narrow, answer=answer)

    def _tool(self, tool: Tool, fit: Fit, said: Sequence[Term], slots: Slots) -> Item:
        ids = [(one, slots.ids[type_]) for one in tool.parameters for type_ in one.refers_to if type_ in slots.ids]
        code = slots.value("name")
        if not slots.ids and _ID.fullmatch(code) and any(map(str.isdigit, code)):
            # The ids of some types are what people choose: coupon SUMMER25.
            stems = {one.stem for one in said}
            ids = [(one, code) for one in tool.parameters for type_ in one.refers_to if stems.issuperset(self._stems(type_))]
        given: dict[str, object] = {one.name: [id_] if one.type == "array" else id_ for one, id_ in ids}
        lacks = sum(one.required and one.role == "id" and one.name not in given for one in tool.parameters)
        without = self._without(tool, slots, fit, {*(id_ for _, id_ in ids), *({"name"} if code in given.values() else ())})
        why, score = " · ".join([*fit.reasons][:3]), fit.score - _LACKS_ID * lacks
        return self._item("tool", tool.name, given, tool.summary, why, score, without)

    def _stems(self, text: str) -> tuple[str, ...]:
        return tuple([term.stem for term in self._terms(text)])

    def _is_named(self, item: Item, slots: Slots) -> bool:
        """Whether a question has the noun of what a tool returns or deletes."""
        nouns = [words_for(type_) for type_ in self._catalog.tools[item.tool].returns.objects]
        stems = {stem for noun in nouns for stem in self._stems(noun)}
        said = self._terms(slots.rest)
        joined = "".join(term.word for term in said)  # an ``invoiceitem`` is typed as two words
        meant = (meaning for term in said for meaning in self._scorer.meanings(term))
        return any(noun in joined for noun in nouns) or any(stems.issuperset(one.stems) for one in meant)

    def _by_id(self, slots: Slots) -> list[Item]:
        """The objects of a typed id or address, and the calls that take it."""
        known = pasted(slots.text, self._routes) if slots.ids or "email" in slots.values else None
        if known is None:
            return []
        alone = not known.words.strip(AROUND)
        items: list[Item] = []
        for place, target in enumerate(known.targets):
            tool = self._catalog.tools[target.tool]
            kind: Kind = "object" if target.reach == "object" else "tool" if target.missing else "call"
            if target.reach == "offer" and not alone:
                continue
            what = words_for(tool.returns.objects[0]) if tool.returns.objects else ""
            is_it = what and target.reach in ("object", "found")
            title = f"{what[:1].upper()}{what[1:]} {known.id}" if is_it else tool.summary
            if is_it and any(one.title == title for one in items):
                title += f" ({self._catalog.toolkits[tool.toolkit].title})"
            why, worth = "" if alone else f"takes {known.id}", _PASTED if target.reach in ("object", "found") else 0.9
            found = self._item(kind, tool.name, target.arguments, title, why, worth * (1 if alone else 0.7) - place * 0.01)
            items.append(replace(found, id=known.id if kind == "object" else ""))
        return items

    def _types(self, part: str) -> tuple[str, ...]:
        """The types of objects that a word may be the id of."""
        if not part.startswith("#") and not (_ID.fullmatch(part) and any(map(str.isdigit, part))):
            return ()
        return tuple(type_ for toolkit in self._catalog.toolkits for type_ in knowledge(toolkit).types_of(part))

    def _item(
        self,
        kind: Kind,
        name: str,
        arguments: Mapping[str, object],
        title: str,
        why: str = "",
        score: float = 0.0,
        without: tuple[str, ...] = (),
    ) -> Item:
        tool = self._catalog.tools[name]
        return Item(kind, name, arguments, tool.effect, title, why, score, missing_from(arguments, tool), without=without)

    def _start(self, why: str) -> list[Item]:
        """Calls without required arguments: a few from each toolkit."""
        slots, found, of_kit = Slots("", ""), [], Counter[str]()
        for call in self._ready_calls:
            kit = self._catalog.tools[call.tool].toolkit
            if of_kit[kit] < FEWEST and (arguments := filled(call, slots)) is not None:
                item = self._item("call", call.tool, arguments, shown(call.title, slots), why)
                if not item.missing and item.effect == "read":
                    of_kit[kit] += 1
                    found.append(item)
        return found or [self._item("tool", tool.name, {}, tool.summary, why) for tool in self._tools[:FEWEST]]


def _sides(text: str) -> tuple[str, ...]:
    """The two names of what is to be compared; empty for any other question."""
    found = _COMPARES.fullmatch(text)
    return (found[1], found[2]) if found is not None else ()
