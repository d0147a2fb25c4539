"""A small MCP server, written from the protocol's documentation and without its library: a help desk that also misbehaves.

``python desk_server.py FOLDER`` speaks on its standard streams. In FOLDER it writes what it was told (``heard``), and reads
which further tools it has (``extra.json``).
"""

import json
import os
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

Send = Callable[[Mapping[str, Any]], None]
Hear = Callable[[], "dict[str, Any] | None"]
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
PRIORITY = {"type": "string", "enum": ["low", "high"], "default": "low"}
SCHEMAS: dict[str, dict[str, Any]] = {
    "find-ticket": {"type": "object", "properties": {"number": {"type": "integer", "minimum": 1}}, "required": ["number"]},
    "note": {
        "type": "object",
        "properties": {"text": {"type": "string"}, "at": {"$ref": "#/$defs/Place"}},
        "required": ["text"],
        "$defs": {"Place": {"type": "object", "properties": {"room": {"type": "string"}, "floor": {"type": "integer"}}}},
    },
}
PLAIN = ("ask", "ask-address", "picture", "fail", "refuse", "slow", "silent", "die", "garbage", "huge")
ODD = ("variables", "not-a-number")
NUMBERS = '{"price": 1.10, "id": 12345678901234567890123, "half": 0.5}'


def tools(folder: Path) -> list[dict[str, Any]]:
    """The tools, as ``tools/list`` tells them."""
    extra = folder / "extra.json"
    schemas = {name: {"type": "object", "properties": {}} for name in (*PLAIN, *ODD)} | SCHEMAS
    schemas |= json.loads(extra.read_text()) if extra.exists() else {}
    more = {"find-ticket": {"title": "Find a ticket", "annotations": {"readOnlyHint": True}}}
    return [
        {"name": name, "description": f"What {name} does. <b>Much</b> more.\x1b[31m", "inputSchema": schema}
        | more.get(name, {})
        for name, schema in schemas.items()
    ]


def content(*blocks: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"content": list(blocks), **more}


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def answer(request: Mapping[str, Any], folder: Path, send: Send, hear: Hear) -> dict[str, Any]:
    """The result of a request, or an error as ``{"error": …}``."""
    params = request.get("params") or {}
    match request["method"]:
        case "initialize":
            return {
                "protocolVersion": "2025-06-18",
                "capabilities": {"tools": {"listChanged": True}, "resources": {}},
                "serverInfo": {"name": "desk", "title": "Help desk", "version": "1.2"},
                "instructions": "Ask it for tickets.",
            }
        case "tools/list":
            return {"tools": tools(folder)}
        case "resources/list":
            if params.get("cursor"):
                return {"resources": [{"uri": "desk://hours", "name": "hours"}]}
            return {"resources": [{"uri": "desk://rules", "name": "rules", "mimeType": "text/plain"}], "nextCursor": "2"}
        case "resources/read" if params["uri"] == "desk://rules":
            return {"contents": [{"uri": "desk://rules", "mimeType": "text/plain", "text": "Be kind."}]}
        case "resources/read":
            return {"error": {"code": -32602, "message": "there is no such resource"}}
        case "tools/call":
            return called(params, folder, send, hear)
    return {"error": {"code": -32601, "message": "unknown method"}}


def called(params: Mapping[str, Any], folder: Path, send: Send, hear: Hear) -> dict[str, Any]:
    """The result of a tool."""
    given = params.get("arguments") or {}
    match params["name"]:
        case "find-ticket":
            ticket = {"number": given["number"], "state": "open"}
            return content(text(json.dumps(ticket)), structuredContent=ticket)
        case "note" if given["text"] == "numbers":
            return content(text(NUMBERS), structuredContent="NUMBERS")
        case "note" if given["text"] == "numbers as text":
            return content(text(NUMBERS))
        case "note":
            return content(text(json.dumps({"noted": given})))
        case "picture":
            return content(text("Look:"), {"type": "image", "data": PIXEL, "mimeType": "image/png"})
        case "fail":
            return content(text("the printer is on fire"), isError=True)
        case "refuse":
            return {"error": {"code": -32603, "message": "no \x1b[31mway"}}
        case "ask" | "ask-address" as name:
            return asked(name, send, hear)
        case "slow":
            token = params["_meta"]["progressToken"]
            progress = {"progressToken": token, "progress": 3, "total": 10, "message": "digging\x1b[31m"}
            send({"jsonrpc": "2.0", "method": "notifications/progress", "params": progress})
            while (message := hear()) is not None:
                if message.get("method") == "notifications/cancelled":
                    break
        case "silent":
            while hear() is not None:
                pass
        case "die":
            sys.stderr.write("Traceback\nMemoryError: no room for \x1b[31mmore\n")
            sys.stderr.flush()
            os._exit(3)
        case "garbage":
            sys.stdout.write('{"jsonrpc": "2.0", "id": \n')
            sys.stdout.flush()
            time.sleep(60)
        case "not-a-number":
            return content(structuredContent={"temperature": float("nan")})
        case "huge":
            return content(text("x" * 3_000_000))
        case "variables":
            return content(text(json.dumps(dict(os.environ))))
    return content(text("done"))


def asked(name: str, send: Send, hear: Hear) -> dict[str, Any]:
    """What the user says to a question, as a result."""
    schema = {
        "type": "object",
        "properties": {"name": {"type": "string", "title": "Your name"}, "priority": PRIORITY, "copies": {"type": "integer"}},
        "required": ["name"],
    }
    params: dict[str, Any] = {"message": "Who [b]asks[/b]?", "requestedSchema": schema}
    if name == "ask-address":
        params = {"mode": "url", "message": "Sign in", "url": "https://desk.example/sign-in", "elicitationId": "1"}
    send({"jsonrpc": "2.0", "id": "question", "method": "elicitation/create", "params": params})
    while (message := hear()) is not None:
        if message.get("id") == "question":
            return content(text(json.dumps({"answered": message.get("result") or message.get("error")})))
    return content(text("nobody answered"))


def main() -> None:
    """Serve one client on the standard streams, until its end is closed."""
    folder = Path(sys.argv[1])
    (folder / "pid").write_text(str(os.getpid()))
    sys.stderr.write("\x1b[31mstarted\n")

    def send(message: Mapping[str, Any]) -> None:
        sys.stdout.write(json.dumps(message).replace('"NUMBERS"', NUMBERS) + "\n")
        sys.stdout.flush()

    def hear() -> dict[str, Any] | None:
        line = sys.stdin.readline()
        if not line:
            return None
        with (folder / "heard").open("a") as file:
            file.write(line)
        message: dict[str, Any] = json.loads(line)
        return message

    print("Desk server, version 1.2")  # noqa: T201 - many servers print what is no message; that is told as it is
    while (request := hear()) is not None:
        if "id" not in request or "method" not in request:
            continue
        result = answer(request, folder, send, hear)
        told = result if "error" in result else {"result": result}
        send({"jsonrpc": "2.0", "id": request["id"], **told})


if __name__ == "__main__":
    main()
