"""Text that does harm when it is shown unescaped, and a service that answers only with such text."""

import json
from collections.abc import Iterator
from contextlib import contextmanager

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tests.sandbox.serving import served

# Most strings have the word HARM after the harmful sequence, so that output can be searched for it.
MARKUP = [
    "[/x]HARM",
    "[@click=app.quit]HARM[/]",
    "[bold",
    "[red]HARM",
    "[[",
    "]",
    "[link='x']HARM",
    "\\[/HARM]",
    "[$accent]HARM",
]
CONTROLS = [
    "\x1b[31mHARM",
    "\x1b]0;HARM\x07",
    "\x1b]52;c;SEFSTQ==\x07",
    "\x1bPHARM\x1b\\",
    "\x9b31mHARM",
    "\x9d0;HARM\x9c",
    "\x07HARM",
    "\x08\x08HARM",
    "\x0dHARM",
    "\x0eHARM",
    "\x7fHARM",
    "\u202eHARM\u202c",
    "\u2066HARM",
    "\u200fHARM",
    "\u200bHARM",
    "\u2028HARM",
    "\ufeffHARM",
    "\udc80HARM",
    "\U000e0048ARM",
    "a\x00HARM",
]
LONG = ["x" * 100_000, "\u0301" * 2_000, "東" * 5_000, "👩‍👧" * 500, "\t" * 300]
STRINGS = MARKUP + CONTROLS + LONG

DEEP = "[" * 400 + "]" * 400

_ANSWER = json.dumps(
    {
        "object": "customer",
        "id": "cus_1",
        **{f"{place}{text[:200]}": text for place, text in enumerate(STRINGS)},
        "list": STRINGS,
    }
)


def forbidden_in_output(written: bytes) -> list[str]:
    """The parts of an output that must not be in it: harmful sequences, C1 controls and directional marks."""
    found = [
        repr(text) for text in CONTROLS if (raw := text.encode("utf-8", "surrogatepass")) in written and raw != b"\x0dHARM"
    ]
    text = written.decode("utf-8", "replace")
    found += [repr(char) for char in "\u202a\u202b\u202d\u202e\u2066\u2067\u2068\u200e\u200f\u200b\u2028\ufeff" if char in text]
    found += [hex(code) for code in range(0x80, 0xA0) if chr(code) in text]
    return found


@contextmanager
def hostile_service() -> Iterator[str]:
    """Serves on loopback while the context lasts and yields the base URL.

    The ids ``bad``, ``broken``, ``text`` and ``deep`` choose the response.
    """

    def answer(request: Request) -> Response:
        headers = {"Request-Id": "req_\x9b31mHARM\x9d"}
        harm = " ".join(MARKUP + CONTROLS)
        match request.path_params["rest"].rsplit("/", 1)[-1]:
            case "bad":
                error = {"type": harm, "code": harm, "message": harm, "param": harm, "doc_url": "https://x.example/" + harm}
                return Response(json.dumps({"error": error}), 400, headers, "application/json")
            case "broken":
                return Response(_ANSWER[:200], 200, headers, "application/json")
            case "text":
                return Response(harm.encode("utf-8", "replace"), 200, headers, "text/html; x=\x9bHARM")
            case "deep":
                return Response(DEEP, 200, headers, "application/json")
        return Response(_ANSWER, 200, headers, "application/json")

    with served(Starlette(routes=[Route("/{rest:path}", answer, methods=["GET", "DELETE"])]), breakable=False) as address:
        yield address
