"""A field for ids: it completes ids from earlier results, and shows the key that opens the service's own list."""

from __future__ import annotations

from registry.catalog.model import Parameter
from tui.explorer.fields.offers import Lookup, OfferField
from tui.explorer.fields.text import Reading


class IdField(OfferField):
    """A field for an id, or for several.

    `key` opens the service's own list of such objects; it is empty if there is none.
    """

    def __init__(self, parameter: Parameter, reads: Reading, lookup: Lookup, key: str) -> None:
        super().__init__(parameter, reads, lookup, f"{key} to pick" if key else "")
