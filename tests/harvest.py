"""Arguments for tools, taken from other tools' results.

Every result is searched for objects and ids. The ids seen with an object (in the call that listed it and in its own
fields) are kept with it, so that a tool which needs an object and its owner gets two that belong together.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice, product
from typing import Any

from registry.calling.result import Result
from registry.catalog.model import Parameter, Tool

Arguments = dict[str, Any]
_EXAMPLE = re.compile(r"(?:for example|its id,|such as|the id,) (\S+?)[.,;]?(?: |$)")
_PREFIX = re.compile(r"[a-z_]+_(?=[A-Za-z0-9]{14,}$|…)")

# Arguments that are not ids: search texts.
SEARCHES = {
    "PaymentsSearchCharges": 'status:"succeeded"',
    "SearchPaymentsPrices": 'active:"true"',
    "SearchPaymentsProducts": 'active:"true"',
}


@dataclass
class SeenId:
    """An id and the values seen with it, by kind or field."""

    id: str
    around: dict[str, str]


@dataclass
class Harvest:
    """The objects and ids from all results so far.

    `now` is when the sandbox was made, in Unix seconds.
    """

    now: int
    by_kind: dict[str, dict[str, SeenId]] = field(default_factory=dict)
    by_prefix: dict[str, dict[str, SeenId]] = field(default_factory=dict)
    by_field: dict[str, dict[str, SeenId]] = field(default_factory=dict)

    def take(self, tool: Tool, arguments: Mapping[str, Any], result: Result) -> None:
        """Collect the objects and ids of a result."""
        around: dict[str, str] = {}
        for parameter in tool.parameters:
            if parameter.name in arguments:
                around |= {kind: str(arguments[parameter.name]) for kind in parameter.refers_to}
        self._walk(result.json, around, tool)

    def arguments(self, tool: Tool, most: int, *, guessing: bool = False) -> Iterator[Arguments]:
        """At most `most` argument sets for a tool. There are none when an id that it needs was not seen yet.

        Several ids are combined only if they were seen together. With `guessing`, any ids of the right kinds are.
        """
        return islice(self._arguments(tool, guessing), most)

    def _arguments(self, tool: Tool, guessing: bool) -> Iterator[Arguments]:
        fixed: Arguments = {}
        needed = []
        for parameter in tool.parameters:
            if not parameter.required:
                continue
            if parameter.refers_to:
                needed.append(parameter)
            elif parameter.role == "query":
                fixed[parameter.name] = SEARCHES.get(tool.name, "created>0" if tool.toolkit == "PaymentsApi" else "sam")
            elif parameter.format == "unix-minute":
                days = 0 if parameter.wire_name == "end_time" else 40
                fixed[parameter.name] = (self.now // 86_400 - days) * 86_400
            elif parameter.format == "email":
                fixed[parameter.name] = "new.person@fernway.example"
            else:
                return
        if not needed:
            yield fixed
            return
        # The most specific id decides the others, which were seen with it.
        last = max(needed, key=lambda one: (self._owned(one, needed), needed.index(one)))
        owners = [parameter for parameter in needed if parameter is not last]
        for seen_id in self.seen(last):
            known = {owner.name: self._with(seen_id, owner) for owner in owners}
            candidates = [
                [found] if (found := known[owner.name]) else [one.id for one in self.seen(owner)] if guessing else []
                for owner in owners
            ]
            for ids in product(*candidates):
                yield fixed | {last.name: seen_id.id} | dict(zip(known, ids, strict=True))

    def _owned(self, parameter: Parameter, others: list[Parameter]) -> int:
        """How many of the other parameters' ids were seen with some id of this one."""
        seen = self.seen(parameter)
        return sum(any(self._with(one, other) for one in seen) for other in others if other is not parameter)

    @staticmethod
    def _with(seen_id: SeenId, other: Parameter) -> str | None:
        """The id for another parameter that was seen with an id."""
        keys = [*other.refers_to, *(kind.rpartition(".")[2] for kind in other.refers_to), prefix_of(other) or ""]
        return next((seen_id.around[key] for key in keys if key in seen_id.around), None)

    def seen(self, parameter: Parameter) -> list[SeenId]:
        """All ids seen that a parameter takes: those of objects of its kinds first, then ids with the same prefix or field."""
        found: dict[str, SeenId] = {}
        for kind in parameter.refers_to:
            found |= self.by_kind.get(kind, {})
        if not found and (prefix := prefix_of(parameter)):
            found = self.by_prefix.get(prefix, {})
        for kind in parameter.refers_to if not found else ():
            found |= self.by_field.get(kind, {})
        return list(found.values())

    def certain(self, tool: Tool, arguments: Mapping[str, Any]) -> bool:
        """Whether every id was seen as the id of an object of the right kind."""
        ids = [parameter for parameter in tool.parameters if parameter.refers_to and parameter.name in arguments]
        return all(any(arguments[one.name] in self.by_kind.get(kind, {}) for kind in one.refers_to) for one in ids)

    def _walk(self, value: Any, around: dict[str, str], tool: Tool) -> None:
        if isinstance(value, list):
            for one in value:
                self._walk(one, around, tool)
        elif isinstance(value, dict):
            kind = self._kind(value, tool)
            own = {name: text for name, text in value.items() if isinstance(text, str) and text}
            inside = {
                name: one["id"] for name, one in value.items() if isinstance(one, dict) and isinstance(one.get("id"), str)
            }
            texts = [*own.values(), *(text for one in value.values() if isinstance(one, list) for text in one)]
            by_prefix = {found[0]: text for text in texts if isinstance(text, str) and (found := _PREFIX.match(text))}
            near = around | by_prefix | own | inside
            if kind and isinstance(value.get("id"), str):
                self.by_kind.setdefault(kind, {}).setdefault(value["id"], SeenId(value["id"], near))
                around = around | {kind: value["id"]}
            for name, text in own.items():
                self.by_field.setdefault(name, {}).setdefault(text, SeenId(text, near))
            for text in texts:
                if isinstance(text, str) and (found := _PREFIX.match(text)):
                    self.by_prefix.setdefault(found[0], {}).setdefault(text, SeenId(text, near))
            for one in value.values():
                self._walk(one, around, tool)

    @staticmethod
    def _kind(value: dict[str, Any], tool: Tool) -> str | None:
        """An object's kind as the catalogue names it."""
        if isinstance(value.get("object"), str):
            return str(value["object"])
        if isinstance(value.get("type"), str) and tool.toolkit == "Incidents":
            return str(value["type"]).removesuffix("_reference")
        if tool.toolkit == "CrmUsersApi" and "id" in value:
            return tool.returns.objects[0]
        return None


def example_of(parameter: Parameter) -> str | None:
    """The example id in a parameter's help."""
    found = _EXAMPLE.search(parameter.help)
    return found[1] if found and not found[1].endswith("…") else None


def prefix_of(parameter: Parameter) -> str | None:
    """The prefix of a parameter's ids, taken from its example."""
    found = _EXAMPLE.search(parameter.help)
    start = _PREFIX.match(found[1]) if found else None
    return start[0] if start else None
