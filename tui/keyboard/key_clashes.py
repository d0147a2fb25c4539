"""Finds commands that work in the same place and have the same key."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tui.keyboard.commands import BESIDE, COMMANDS, IN_DIALOGS, Scope, on_tables


def clashes(changed: Mapping[str, tuple[str, ...]]) -> Iterator[tuple[str, str, str]]:
    """Commands whose new key another command in the same place has: the ids of both, and the key.

    Args:
        changed: the new keys, by the commands' ids.
    """
    commands = {command.id: command for command in COMMANDS}
    places = _places()
    for id_, keys in reversed(list(changed.items())):
        for other, command in commands.items():
            # Two commands with the same action, such as a table's arrows and those of every list, do not clash.
            if other == id_ or command.action == commands[id_].action or not any({id_, other} <= place for place in places):
                continue
            taken = changed.get(other) or tuple(command.keys.split(","))
            yield from ((id_, other, key) for key in keys if key in taken)


def _places() -> list[set[str]]:
    """The ids of the commands that work together, for each place of the focus."""
    everywhere, lists = _of("everywhere"), _of("lists")
    return [
        _of("tools") | lists | everywhere,
        _of("form") | everywhere,
        _of("result") | lists | everywhere,
        _of("table") | lists | everywhere | {command.id for command in COMMANDS if on_tables(command)},
        *(_of(scope) | lists | set(beside) | set(IN_DIALOGS) for scope, beside in BESIDE.items()),
    ]


def _of(scope: Scope) -> set[str]:
    return {command.id for command in COMMANDS if command.scope == scope}
