"""The style sheet of the screens sets the same styles as Textual's own."""

from __future__ import annotations

import pytest
from textual.css.styles import RulesMap, Styles
from textual.css.stylesheet import Stylesheet
from textual.dom import DOMNode

from tests.tui.app import Desk, desk
from tui.keyboard.key_bar import KeyBar
from tui.widgets.style_sheet import RuleIndex


class Textuals(Stylesheet):
    """Textual's own style sheet, which records what it would set."""

    def __init__(self, rules: Stylesheet) -> None:
        super().__init__()
        self._rules = rules.rules

    def styles_of(self, node: DOMNode) -> tuple[RulesMap, tuple[bool, ...]]:
        """The styles of a widget, and which pseudo-classes have them set again."""
        self.found = Styles()
        self.apply(node)
        return self.found._rules, asks(node)

    def replace_rules(self, node: DOMNode, rules: RulesMap, animate: bool = False) -> None:  # type: ignore[override]
        """Keep the styles apart."""
        for name, value in rules.items():
            setattr(self.found, name, value)

    def _process_component_classes(self, node: DOMNode) -> None:
        """Parts of widgets are looked at one by one."""


def asks(node: DOMNode) -> tuple[bool, ...]:
    return node._has_hover_style, node._has_focus_within, node._has_order_style, node._has_odd_or_even


def printed(styles: RulesMap) -> dict[str, object]:
    """Styles in a form that can be compared, because each layout is a separate object."""
    return {name: str(value) if name == "layout" else value for name, value in styles.items()}


def compared(one: Desk) -> int:
    """Compare all widgets of the screen and their parts, twice: the second time with what is known then; gives their number."""
    sheet, seen = one.app.stylesheet, 0
    textuals = Textuals(sheet)
    for _ in range(2):
        sheet.update_nodes([one.app, *one.app.screen.walk_children(with_self=True)])
        for node in one.app.screen.walk_children(with_self=True):
            for part in (node, *(one.node for one in node._component_styles.values())):
                assert part is not None
                ours = printed(part.styles.base._rules), asks(part)
                styles, asked = textuals.styles_of(part)
                assert ours == (printed(styles), asked), part
                seen += 1
    return seen


async def test_widgets_have_the_styles_that_textual_gives_them() -> None:
    async with desk(lists="table") as one:
        await one.open("ListIncidents")
        await one.run()
        assert compared(one) > 100
        one.app.theme = "callboard-light"
        await one.pilot.pause()
        compared(one)
        await one.press("f1")
        compared(one)


@pytest.mark.long
async def test_widgets_of_every_screen_have_the_styles_that_textual_gives_them() -> None:
    async with desk(lists="table") as one:
        assert compared(one) > 100
        await one.open("ListIncidents")
        compared(one)
        await one.run()
        compared(one)
        await one.press("f2", "ctrl+f")
        compared(one)
        await one.press("escape")
        for theme in ("callboard-light", "callboard-contrast"):
            one.app.theme = theme
            await one.pilot.pause()
            compared(one)
        await one.press("f1")
        compared(one)
        await one.press("escape")
        one.app.action_oncall()
        await one.pilot.pause()
        compared(one)
        one.app.action_command_palette()
        await one.pilot.pause()
        compared(one)


async def test_what_was_found_about_a_widget_stays_when_rules_about_others_are_added() -> None:
    async with desk() as one:
        bar, rules = one.screen.query_one(KeyBar), one.app.stylesheet.rules
        others = [rule for rule in rules if not rule.selector_names & bar._selector_names]
        fewer = RuleIndex([rule for rule in rules if rule is not others[-1]])
        found = fewer.candidates(bar)
        assert fewer.continues(rules)
        assert RuleIndex(rules, fewer.known).candidates(bar) is found
        own = next(rule for rule in rules if "KeyBar" in rule.selector_names)
        without = RuleIndex([rule for rule in rules if rule is not own], fewer.known)
        assert without.candidates(bar) is not found, "one of its own rules is gone"
        one.app.theme = "callboard-light"
        await one.pilot.pause()
        assert not fewer.continues(one.app.stylesheet.rules), "all rules are new ones"
