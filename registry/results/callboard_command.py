"""A call as ``callboard call …``, which the command line reads as the same arguments."""

from collections.abc import Iterable
from shlex import quote

from registry.calling.arguments import Arguments, Value
from registry.calling.bodies import text_of
from registry.catalog.model import Parameter, Tool
from registry.json_text import dumps, is_null
from registry.text.shown import exact_json, visible_line

_OWN = """
    account all args dry_run yes confirm allow_writes read_only deadline timeout max_size json most no_journal output saved save
    format replace raw show_secrets help
"""
OWN_OPTIONS = frozenset(_OWN.split())  # options of the command itself. A parameter with such a name is given in JSON.

_ONE_LINE = 90


def command(tool: Tool, arguments: Arguments, *connections: str, options: Iterable[str] = ()) -> str:
    """The command for a POSIX shell, for one account or several at once, with `options` of the command itself.

    Values that an option cannot contain, or that are not safe to paste, are given in JSON.
    """
    words = [f"callboard call {tool.name}"]
    rest: dict[str, Value] = {}
    for name, value in arguments.values.items():
        parameter = tool.parameter(name)
        option = "--" + name.replace("_", "-")
        if parameter is not None and parameter.role == "secret":
            words.append(f'{option}="${name.upper()}"')
        elif parameter is None or (texts := _texts(parameter, value)) is None:
            rest[name] = value
        else:
            words += [f"{option}={quote(text)}" for text in texts]
    if rest:
        words.append(f"--args={quote(exact_json(dumps(rest)))}")
    words += [*(f"--account={quote(connection)}" for connection in connections), *options]
    line = " ".join(words)
    return line if len(line) <= _ONE_LINE else " \\\n  ".join(words)


def _texts(parameter: Parameter, value: Value) -> list[str] | None:
    """A value as texts for its option, one for each item; None if the option cannot contain it, or it is not safe to paste."""
    if parameter.name in OWN_OPTIONS or "-" in parameter.name or is_null(value):
        return None
    texts = [text_of(one) for one in value] or [""] if isinstance(value, tuple) else [text_of(value)]
    # A text that is a JSON list, null or empty would be read as that.
    is_json = isinstance(value, tuple) and (value == ("",) or any(one.startswith("[") or one == "null" for one in texts))
    if parameter.is_structured or is_json:
        return [exact_json(dumps(value))]  # which escapes everything that is not safe to show
    return texts if all(visible_line(text) == text for text in texts) else None
