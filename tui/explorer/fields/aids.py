"""What the program knows about the values of a tool's parameters, for the fields of its form."""

from registry.catalog.model import Parameter, Tool
from registry.references.routes import sources_of
from registry.references.targets import wrong_kind
from tui.session import Session

_MOST_FIELDS = 40


class Aids:
    """Helpers for filling the form of a tool. `pick_key` opens the service's own list of objects, for ids.

    With `folds`, there are so many fields that structured values are one line each until they are unfolded.
    """

    def __init__(self, session: Session, tool: Tool, pick_key: str = "") -> None:
        self.session, self.tool, self._pick_key = session, tool, pick_key
        count, waiting = 0, list(tool.parameters)
        while waiting and count < _MOST_FIELDS:
            one = waiting.pop()
            count += 1
            waiting += (*one.properties, *one.branches)
        self.folds = count >= _MOST_FIELDS

    def reads(self, parameter: Parameter, text: str) -> str:
        """What a value means, or advice about it (⚠); empty if it is obvious."""
        return self.session.reading(parameter, text) or wrong_kind(self.tool.toolkit, parameter, text)

    def hint(self, parameter: Parameter) -> str:
        """How to find other ids; empty if the service has no list of such objects."""
        has_list = self._pick_key and sources_of(self.tool, parameter, {}, self.session.routes)
        return f"{self._pick_key} to pick" if has_list else ""
