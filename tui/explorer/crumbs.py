"""The breadcrumbs of a result: a label for each visit, by name where that is known."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from tui.explorer.trail import Visit
from tui.session import Session


def labels_of(session: Session, way: Sequence[Visit]) -> list[str]:
    """A label for each visit, outermost first; never the same one twice in a row."""
    return [label for label, _ in groupby(_label(session, one) for one in way)]


def _label(session: Session, one: Visit) -> str:
    words = session.names.of(one.subject) or one.subject or session.title_of(one.tool)
    connection = session.connection(session.catalog.tools[one.tool].toolkit)
    # A deleted object keeps the mark in front of its name.
    return session.deleted_ids.signed(connection.name, one.name).replace(one.name, words)
