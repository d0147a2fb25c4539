"""Several accounts on one dashboard: a line for each, the worst first, and which of them the panels show.

Every account is read separately, so a failure of one changes nothing about the others. The verdicts are those of each
account's own board.
"""

import asyncio
from collections.abc import Callable, Sequence

from textual.content import Content

from registry.oncall.account import Account, AccountView, views_of
from registry.oncall.alarms import Ring
from registry.oncall.evidence import WORST_FIRST
from registry.oncall.words import Line, Piece, plain
from tui.oncall.pieces import content_of
from tui.widgets.words import Words

_MOST = 4


class AccountsBar(Words):
    """The lines; hidden if there is only one account."""

    DEFAULT_CSS = """
    AccountsBar { display: none; height: auto; max-height: 5; padding: 0 1; background: $surface; }
    AccountsBar { text-wrap: nowrap; text-overflow: ellipsis; }
    AccountsBar.-several { display: block; }
    """

    def show(self, views: Sequence[AccountView], shown: str, key: str) -> None:
        """Show accounts; `shown` is the one in the panels, `key` shows the next one."""
        self.set_class(len(views) > 1, "-several")
        ranked = sorted(views, key=lambda view: WORST_FIRST.index(view.code))
        lines: list[Line] = []
        for place, view in enumerate(ranked[:_MOST]):
            here = view.name == shown
            rank = f"WORST of {len(views)} " if place == 0 else ""
            line = [Piece("› " if here else "  ", "mine"), Piece(f"{rank}{view.label}  ", "mine" if here else "strong")]
            lines.append([*line, *view.verdict, Piece(f"  {plain(view.trust)}", "quiet")])
        more = f"{len(ranked) - _MOST} more accounts · " if len(ranked) > _MOST else ""
        lines.append([Piece(f"  {more}{key} shows another", "quiet")])
        self.update(Content("\n").join(content_of(line) for line in lines))


class OtherAccounts:
    """The accounts other than the one in the panels.

    Args:
        made: makes an account from its name.
        names: all accounts of the dashboard, in order.
    """

    def __init__(self, made: Callable[[str], Account], names: Sequence[str]) -> None:
        self.names = list(names)
        self._made = made
        self._kept: dict[str, tuple[Account, asyncio.Task[None]]] = {}

    def next_to(self, name: str) -> str:
        """The account after this one; the first one after the last."""
        return self.names[(self.names.index(name) + 1) % len(self.names)] if name in self.names else self.names[0]

    def watch(self, shown: str, ring: Callable[[Ring], None], tell: Callable[[str], None]) -> None:
        if shown in self._kept:
            self._kept.pop(shown)[1].cancel()
        for name in self.names:
            if name != shown and name not in self._kept:
                account = self._made(name)
                self._kept[name] = account, asyncio.create_task(account.keep(ring, tell, asyncio.sleep), name=f"account {name}")

    async def views(self) -> list[AccountView]:
        return await views_of([account for account, _ in self._kept.values()])

    async def aclose(self) -> None:
        tasks = [task for _, task in self._kept.values()]
        self._kept.clear()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
