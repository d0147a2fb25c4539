"""The tones of states, by the words of services: whether all is in order, or attention is needed."""

from __future__ import annotations

from typing import Literal

Tone = Literal["good", "warn", "bad", "waits", "over", "plain"]
"""``waits``: something is under way. ``over``: it ended and needs no attention. ``plain``: the word is not known."""

SIGNS: dict[Tone, str] = {"good": "✓", "warn": "!", "bad": "✗", "waits": "◦", "over": "×", "plain": " "}
"""The sign of each tone, so that colour is never the only difference."""

_WORDS: dict[Tone, str] = {
    "good": "paid succeeded active complete completed won accepted verified enabled available approved trialing ok resolved",
    "warn": (
        "past_due unpaid requires_action requires_payment_method requires_confirmation incomplete needs_response paused "
        "warning warning_needs_response maintenance restricted under_review warning_under_review uncollectible acknowledged"
    ),
    "bad": "failed lost blocked declined errored unverified incomplete_expired critical triggered",
    "waits": "draft pending processing scheduled in_transit queued in_progress requires_capture",
    "over": "void voided canceled cancelled expired inactive disabled closed archived deleted used",
}
_TONES: dict[str, Tone] = {word: tone for tone, words in _WORDS.items() for word in words.split()}
_PROPERTIES = frozenset(("status", "state", "payment_status", "verification_status"))


def tells_state(name: str) -> bool:
    """Whether a property with this name holds a state."""
    return name.casefold() in _PROPERTIES


def tone_of(state: str) -> Tone:
    """The tone of a state."""
    return _TONES.get(state.casefold().replace(" ", "_"), "plain")
