"""The style sheet of the screens: sets the same styles as Textual's, with less work.

Textual checks all rules of the program for every widget whose styles it sets: when it is mounted, when it gets or
loses a class, when the focus moves. Here

- the rules that can apply to a widget are looked up once for all widgets of the same type, id and classes,
- a widget is checked only for what can differ between them: pseudo-classes, and selectors that name ancestors,
- the styles from a set of matching rules are computed once, by Textual, and values that a widget has are not set again.

It does not depend on Callboard's widgets.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache

from textual.cache import LRUCache
from textual.css.match import _check_selectors
from textual.css.model import CombinatorType, RuleSet, Selector, SelectorType
from textual.css.styles import RulesMap
from textual.css.stylesheet import Stylesheet
from textual.dom import DOMNode

_SOURCES = 1_024
"""Parsed sources in the cache, one for each type of widget. With more than Textual's 64, each new one parses all again."""

_ORDER = {"first-of-type", "last-of-type", "first-child", "last-child", "empty"}
_ODD_OR_EVEN = {"odd", "even"}

_Alike = tuple[type[DOMNode], str | None, frozenset[str]]
"""The key of widgets that the same rules can apply to: type, id (where rules name it) and classes."""


@dataclass
class Outcome:
    """The styles from the rules that match a widget."""

    rules: RulesMap = field(default_factory=RulesMap)
    """The styles to set; empty if no rule matches."""
    of_new: RulesMap | None = None
    """The styles of a new widget after they are set, as far as widgets can share them."""


@dataclass(frozen=True)
class Candidates:
    """The rules that can apply to all widgets with the same type, id and classes."""

    pseudo_classes: frozenset[str]
    conditions: list[tuple[set[str], list[Selector] | None]]
    """The conditions of rules that do not always apply: pseudo-classes, and selectors that name ancestors."""
    outcomes: dict[tuple[int, ...], Outcome] = field(default_factory=dict)
    """The styles by the numbers of the conditions that are true."""

    def holding(self, node: DOMNode) -> tuple[int, ...]:
        """The numbers of the conditions that are true for a widget."""
        if not self.conditions:
            return ()
        path = node.css_path_nodes
        return tuple(
            [
                number
                for number, (pseudo_classes, selectors) in enumerate(self.conditions)
                if (not pseudo_classes or node.has_pseudo_classes(pseudo_classes))
                and (selectors is None or _check_selectors(selectors, path))
            ]
        )


Known = dict[tuple[_Alike, tuple[RuleSet, ...]], Candidates]
"""What was found about widgets, by the rules that name them: it stays when rules about other widgets are added."""


class RuleIndex:
    """All rules of a program, by the type, class or id that they can apply to."""

    def __init__(self, rules: Sequence[RuleSet], known: Known | None = None) -> None:
        self.by_name: dict[str, list[RuleSet]] = {}
        self.known: Known = {} if known is None else known
        self._order = {rule: place for place, rule in enumerate(rules)}
        self._ids: set[str] = set()
        self._candidates: dict[_Alike, Candidates] = {}
        for rule in rules:
            for name in rule.selector_names:
                self.by_name.setdefault(name, []).append(rule)
            for one in rule.selector_set:
                self._ids.update(selector.name for selector in one.selectors if selector.type is SelectorType.ID)

    def candidates(self, node: DOMNode) -> Candidates:
        """The rules that can apply to a widget."""
        alike = (type(node), node._id if node._id in self._ids else None, frozenset(node._classes))
        found = self._candidates.get(alike)
        if found is None:
            named = {rule for name in self.by_name.keys() & node._selector_names for rule in self.by_name[name]}
            rules = tuple(sorted(named, key=self._order.__getitem__))
            found = self.known.get((alike, rules))
            if found is None:
                found = self.known[alike, rules] = _found(node, rules)
            self._candidates[alike] = found
        return found

    def continues(self, rules: Sequence[RuleSet]) -> bool:
        """Whether these are the same rules and others: after a change of the theme all rules are new ones."""
        return bool(rules) and rules[0] in self._order


def _found(node: DOMNode, rules: Sequence[RuleSet]) -> Candidates:
    conditions: list[tuple[set[str], list[Selector] | None]] = []
    for selectors in (one.selectors for rule in rules for one in rule.selector_set):
        own = _own(selectors)
        if all(selector._check(node) for selector in own):
            wanted = set[str]().union(*(selector.pseudo_classes for selector in own))
            is_simple = len(own) == len(selectors) and own[0].combinator is CombinatorType.DESCENDENT
            if wanted or not is_simple:
                conditions.append((wanted, None if is_simple else selectors))
    return Candidates(frozenset[str]().union(*(rule.pseudo_classes for rule in rules)), conditions)


class StyleSheet(Stylesheet):
    """A style sheet that remembers which rules can apply to which widgets."""

    def __init__(self, *, variables: dict[str, str] | None = None) -> None:
        super().__init__(variables=variables)
        self._parse_cache = LRUCache(_SOURCES)
        self._index = RuleIndex([])
        self._wanted: tuple[DOMNode, Outcome] | None = None

    @property
    def rules_map(self) -> dict[str, list[RuleSet]]:
        """The rules by the type, class or id that they can apply to."""
        return self._indexed.by_name

    @property
    def _indexed(self) -> RuleIndex:
        if self._rules_map is None:  # set by Textual when the rules have changed
            self._index = RuleIndex(self.rules, self._index.known if self._index.continues(self.rules) else None)
            self._rules_map = self._index.by_name
        return self._index

    def apply(self, node: DOMNode, *, animate: bool = False, cache: dict[tuple[object, ...], RulesMap] | None = None) -> None:
        """Set the styles of a widget; `cache`, Textual's cache for one update, is not needed."""
        candidates = self._indexed.candidates(node)
        holding = candidates.holding(node)
        outcome = candidates.outcomes.get(holding)
        if outcome is None:
            outcome = candidates.outcomes[holding] = Outcome()
            self._wanted = node, outcome
            super().apply(node, animate=animate)
            return
        pseudo_classes = candidates.pseudo_classes
        node._has_hover_style = "hover" in pseudo_classes
        node._has_focus_within = "focus-within" in pseudo_classes
        node._has_order_style = not pseudo_classes.isdisjoint(_ORDER)
        node._has_odd_or_even = not pseudo_classes.isdisjoint(_ODD_OR_EVEN)
        if outcome.rules:
            if animate or node._is_mounted or node.styles.base._rules:
                self.replace_rules(node, outcome.rules, animate=animate)
            else:
                self._style_new(node, outcome)
        self._process_component_classes(node)

    def replace_rules(self, node: DOMNode, rules: RulesMap, animate: bool = False) -> None:  # type: ignore[override]
        """Replace the styles of a widget."""
        if self._wanted is not None and self._wanted[0] is node:
            self._wanted[1].rules, self._wanted = rules, None
        base = node.styles.base
        before = base._rules
        if animate:
            if before == rules:
                return
            if rules.get("transitions"):
                super().replace_rules(node, rules, animate)
                return
        for name in before.keys() | rules.keys():
            if before.get(name) is not (value := rules.get(name)):
                setattr(base, name, value)
        node.notify_style_update()

    def _style_new(self, node: DOMNode, outcome: Outcome) -> None:
        """Set the styles of a widget, or of its part, that has none yet: no repaint or new layout is needed."""
        base = node.styles.base
        if outcome.of_new is None:
            self.replace_rules(node, outcome.rules)
            # Each widget has a layout of its own.
            outcome.of_new = {name: value for name, value in base._rules.items() if name != "layout"}  # type: ignore[assignment]
            return
        base.merge_rules(outcome.of_new)
        if (layout := outcome.rules.get("layout")) is not None:
            base.layout = layout
        node.notify_style_update()

    def _process_component_classes(self, node: DOMNode) -> None:
        """Set the styles of a widget's component classes; each has one node that is reused."""
        known, changed = node._component_styles, False
        for part in _parts(type(node)):
            styles = known.get(part)
            if styles is None or styles.node is None:
                of_part, before = DOMNode(classes=part), None
                of_part._attach(node)
                known[part] = of_part.styles
            else:
                of_part, before = styles.node, styles.base._rules.copy()
            self.apply(of_part)
            changed |= of_part.styles.base._rules != before
        if changed:
            node.refresh()


def _own(selectors: list[Selector]) -> list[Selector]:
    """The last of these selectors that are about the widget itself, and not about an ancestor."""
    first = len(selectors) - 1
    while first > 0 and selectors[first].combinator is CombinatorType.SAME:
        first -= 1
    return selectors[first:]


@cache
def _parts(kind: type[DOMNode]) -> tuple[str, ...]:
    return tuple(sorted(kind._get_component_classes()))
