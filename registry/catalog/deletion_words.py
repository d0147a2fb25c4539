"""Whether a query asks for a deletion: searches list deletions only for such queries."""

from __future__ import annotations

import re

from registry.catalog.synonyms import vocabulary

_AROUND = " \t\n\"'`“”‘’<>()[],;:?!"
_MAY = re.compile(r"\b(?:who|whom|which \w+|what role)\s+(?:can|may|could|is allowed|are allowed|has|have)\b", re.IGNORECASE)
_BEGINNING = 3


def asks_for_deletion(text: str) -> bool:
    """Whether a text contains a verb of deletion, also misspelt or as a part of a tool's name."""
    from rapidfuzz.distance import OSA

    verbs = vocabulary().deletion
    if _MAY.search(text):
        return False  # it asks who may do it
    for part in re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text).split():
        word = part.strip(_AROUND).lower()
        plain = word.removesuffix("ing").removesuffix("l") if word.endswith("ing") else word
        if word in verbs or plain in verbs or plain + "e" in verbs or "get rid of" in text.lower():
            return True
        # A past participle is a state and not a request: deleted, removed.
        near = [verb for verb in verbs if len(verb) > 4 and abs(len(word) - len(verb)) < 2] if len(word) > 4 else []
        if any(OSA.distance(word, verb) == 1 and word.endswith("d") == verb.endswith("d") for verb in near):
            return True
    return False


def may_ask_for_deletion(text: str) -> bool:
    """The same for a text that may be the beginning of words in a tool's name: ``delinv``."""
    word = text.strip().lower()
    begun = word.isalpha() and any(word[:_BEGINNING] == verb[:_BEGINNING] for verb in vocabulary().deletion)
    return (begun and len(word) >= _BEGINNING) or asks_for_deletion(text)
