"""A field for ids: it knows those that answers have named, and says how to choose one from the service's own list."""

from __future__ import annotations

from registry.catalog.model import Parameter
from tui.explorer.fields.offers import Lookup, OfferField
from tui.explorer.fields.text import Reading

_HINT = "^Space finds one in {}"


class IdField(OfferField):
    """A field for an id, or for several.

    `source` is the tool that the picker asks first; empty where there is none.
    """

    def __init__(self, parameter: Parameter, reads: Reading, lookup: Lookup, source: str) -> None:
        super().__init__(parameter, reads, lookup, _HINT.format(source) if source else "")
