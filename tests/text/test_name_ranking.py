"""One ranking of names: what begins with the text, then words that do, then what holds it."""

import pytest

from registry.text.name_ranking import ranked

PEOPLE = [
    ("Padaria Aurora Ltda", "finance@padaria.example"),
    ("Jo Byron", "ada@byron.example"),
    ("Müller, Ada", "m@mueller.example"),
    ("Ada Romero", "accounts@ada-romero.example"),
]


@pytest.mark.parametrize(
    ("typed", "names"),
    [
        ("Ada", ["Ada Romero", "Jo Byron", "Müller, Ada", "Padaria Aurora Ltda"]),
        ("rom", ["Ada Romero"]),
        ("ada muller", ["Müller, Ada"]),
        ("aurora pad", ["Padaria Aurora Ltda"]),
        ("", [name for name, _ in PEOPLE]),
        ("zz", []),
    ],
)
def test_what_begins_with_the_text_comes_first(typed: str, names: list[str]) -> None:
    assert [name for name, _ in ranked(PEOPLE, typed, lambda one: one)] == names
