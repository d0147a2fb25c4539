"""What a service, or the tool, leaves out of a list without saying so: the ``coverage.json`` in a toolkit's folder, if any."""

from collections.abc import Mapping

from msgspec import Struct

from registry.catalog.loader import declarations
from registry.catalog.model import Tool


class Narrowed(Struct, frozen=True, forbid_unknown_fields=True):
    """What a service, or the tool, leaves out of a list without saying so.

    Attributes:
        says: what is left, in words that follow the noun: ``of the last month``.
        unless: parameters, or parameters with a value (``is_overview=false``); one that is given ends the narrowing.
        when: parameters that cause it; empty if it needs none.
    """

    says: str
    unless: tuple[str, ...] = ()
    when: tuple[str, ...] = ()

    def holds(self, given: Mapping[str, object]) -> bool:
        """Whether a list with these arguments is narrowed so."""

        def is_given(said: str) -> bool:
            name, _, value = said.partition("=")
            return name in given and value in ("", str(given[name]).lower())

        return not any(map(is_given, self.unless)) and (not self.when or any(map(is_given, self.when)))


# By the name of a list's tool; those in `whole` leave nothing out.
coverage_of, read_coverage = declarations(
    "coverage.json",
    ("narrowed", "whole"),
    lambda file: (
        dict.fromkeys(file.value("whole", frozenset[str], frozenset()), ()) | file.entries("narrowed", tuple[Narrowed, ...])
    ),
)


def narrowed(tool: Tool, arguments: Mapping[str, object]) -> Narrowed | None:
    """How the service narrows a list for these arguments; None if it lists everything that was asked for."""
    declared = coverage_of(tool.toolkit).get(tool.own_name, ())
    return next((one for one in declared if one.holds(arguments)), None)
