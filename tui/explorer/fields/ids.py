"""A field for ids: it knows those that answers have named, and says how to choose one from the service's own list."""

from __future__ import annotations

from registry.catalog.model import Parameter
from tui.explorer.fields.offers import Lookup, OfferField
from tui.explorer.fields.text import Reading

_HINT = "^Space shows the list"


class IdField(OfferField):
    """A field for an id, or for several.

    `has_list` says that the service has a list to choose one from.
    """

    def __init__(self, parameter: Parameter, reads: Reading, lookup: Lookup, has_list: bool) -> None:
        super().__init__(parameter, reads, lookup, _HINT if has_list else "")
