"""Whether a question asks for a deletion: no search lists one where nobody does."""

from __future__ import annotations

import re

from registry.catalog.synonyms import vocabulary

_AROUND = " \t\n\"'`“”‘’<>()[],;:?!"
_MAY = re.compile(r"\b(?:who|whom|which \w+|what role)\s+(?:can|may|could|is allowed|are allowed|has|have)\b", re.IGNORECASE)
_BEGINNING = 3


def asks_for_deletion(text: str) -> bool:
    """Whether somebody typed a verb of deletion, also wrongly or as a part of a tool's name."""
    from rapidfuzz.distance import OSA

    verbs = vocabulary().deletion
    if _MAY.search(text):
        return False  # who may do it is a question
    for part in re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text).split():
        word = part.strip(_AROUND).lower()
        plain = word.removesuffix("ing").removesuffix("l") if word.endswith("ing") else word
        if word in verbs or plain in verbs or plain + "e" in verbs or "get rid of" in text.lower():
            return True
        # What is done already is a state and no wish: deleted, removed.
        near = [verb for verb in verbs if len(verb) > 4 and abs(len(word) - len(verb)) < 2] if len(word) > 4 else []
        if any(OSA.distance(word, verb) == 1 and word.endswith("d") == verb.endswith("d") for verb in near):
            return True
    return False


def may_ask_for_deletion(text: str) -> bool:
    """The same of what may be the beginnings of the words in a tool's name: ``delinv``."""
    word = text.strip().lower()
    begun = word.isalpha() and any(word[:_BEGINNING] == verb[:_BEGINNING] for verb in vocabulary().deletion)
    return (begun and len(word) >= _BEGINNING) or asks_for_deletion(text)
