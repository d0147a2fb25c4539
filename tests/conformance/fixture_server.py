"""A server with the tools, resources and prompts that the conformance suite asks for by name, on the code of the door.

It shares with the door what carries the protocol: the server with sealed states and cache hints, HTTP, and who is let in.
What it answers is what the suite's scenarios describe.
"""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

from registry.doors.mcp.server import sealed

Context = ServerRequestContext[Any, Any]
Outcome = types.CallToolResult | types.InputRequiredResult
_PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg=="
_WAV = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA="


def _text(words: str) -> types.TextContent:
    return types.TextContent(text=words)


def _resource(uri: str, words: str, kind: str = "text/plain") -> types.EmbeddedResource:
    return types.EmbeddedResource(resource=types.TextResourceContents(uri=uri, mime_type=kind, text=words))


_IMAGE = types.ImageContent(data=_PNG, mime_type="image/png")
_CONTENT: Mapping[str, list[types.ContentBlock]] = {
    "test_simple_text": [_text("This is a simple text response for testing.")],
    "test_image_content": [_IMAGE],
    "test_audio_content": [types.AudioContent(data=_WAV, mime_type="audio/wav")],
    "test_embedded_resource": [_resource("test://embedded-resource", "This is an embedded resource content.")],
    "test_multiple_content_types": [
        _text("Multiple content types test:"),
        _IMAGE,
        _resource("test://mixed-content-resource", '{"test":"data","value":123}', "application/json"),
    ],
}


def _form(message: str, name: str, kind: str = "string") -> types.ElicitRequest:
    schema = {"type": "object", "properties": {name: {"type": kind}}, "required": [name]}
    return types.ElicitRequest(params=types.ElicitRequestFormParams(message=message, requested_schema=schema))


def _sampling(words: str) -> types.CreateMessageRequest:
    said = types.SamplingMessage(role="user", content=_text(words))
    return types.CreateMessageRequest(params=types.CreateMessageRequestParams(messages=[said], max_tokens=100))


_NAME = _form("What is your name?", "name")
_ASKED: Mapping[str, Mapping[str, Any]] = {
    "test_input_required_result_elicitation": {"user_name": _NAME},
    "test_streaming_elicitation": {"user_name": _NAME},
    "test_input_required_result_sampling": {"capital_question": _sampling("What is the capital of France?")},
    "test_input_required_result_list_roots": {"client_roots": types.ListRootsRequest()},
    "test_input_required_result_request_state": {"confirm": _form("Please confirm", "ok", "boolean")},
    "test_input_required_result_tampered_state": {"confirm": _form("Please confirm", "ok", "boolean")},
    "test_input_required_result_multiple_inputs": {
        "user_name": _NAME,
        "greeting": _sampling("Generate a greeting"),
        "client_roots": types.ListRootsRequest(),
    },
}
_STATEFUL = {name for name in _ASKED if name.endswith(("state", "inputs"))}


async def _progress(context: Context) -> types.CallToolResult:
    for done in (0.0, 50.0, 100.0):
        await context.session.report_progress(done, 100.0, f"{done:g} %")
        await asyncio.sleep(0.05)
    return types.CallToolResult(content=[_text("Done.")])


async def _missing(context: Context) -> types.CallToolResult:
    known = context.session.client_capabilities
    if known is None or known.sampling is None:
        data: dict[str, Any] = {"requiredCapabilities": {"sampling": {}}}
        raise MCPError(types.MISSING_REQUIRED_CLIENT_CAPABILITY, "This tool needs sampling.", data)
    return types.CallToolResult(content=[_text("sampling is there")])


async def _logs(context: Context) -> types.CallToolResult:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the protocol is about to drop it; who asks for it gets it still
        await context.session.send_log_message("info", "only for who asked for it", "fixture")
    return types.CallToolResult(content=[_text("Logged.")])


async def _error(_: Context) -> types.CallToolResult:
    return types.CallToolResult(content=[_text("This tool intentionally returns an error for testing")], is_error=True)


_OTHERS: Mapping[str, Callable[[Context], Awaitable[types.CallToolResult]]] = {
    "test_error_handling": _error,
    "test_tool_with_progress": _progress,
    "test_missing_capability": _missing,
    "test_logging_tool": _logs,
}
_ROUNDS, _CAPABILITIES = "test_input_required_result_multi_round", "test_input_required_result_capabilities"


def _asks(
    asked: Mapping[str, Any], params: types.CallToolRequestParams | types.GetPromptRequestParams, state: str | None
) -> types.InputRequiredResult | None:
    """The question, until every part of it is answered; with a state, only behind that very state."""
    given = params.input_responses or {}
    if set(asked) <= set(given) and params.request_state == state:
        return None
    return types.InputRequiredResult(input_requests=dict(asked), request_state=state)


def _rounds(params: types.CallToolRequestParams) -> types.InputRequiredResult | None:
    given, step = params.input_responses or {}, params.request_state
    if step == "second" and "step2" in given:
        return None
    if step == "first" and "step1" in given:
        asked: dict[str, Any] = {"step2": _form("Step 2: What is your favorite color?", "color")}
        return types.InputRequiredResult(input_requests=asked, request_state="second")
    asked = {"step1": _form("Step 1: What is your name?", "name")}
    return types.InputRequiredResult(input_requests=asked, request_state="first")


def fixture_server() -> Server[Any]:
    """The server, to be served as the door is."""

    async def on_list_tools(_: Context, __: Any) -> types.ListToolsResult:
        names = (*_CONTENT, *_OTHERS, *_ASKED, _ROUNDS, _CAPABILITIES)
        schema = {"type": "object", "properties": {}}
        return types.ListToolsResult(tools=[types.Tool(name=name, description=name, input_schema=schema) for name in names])

    async def on_call_tool(context: Context, params: types.CallToolRequestParams) -> Outcome:
        name = params.name
        if name in _CONTENT:
            return types.CallToolResult(content=list(_CONTENT[name]))
        if name in _OTHERS:
            return await _OTHERS[name](context)
        if name == _ROUNDS:
            asked = _rounds(params)
        elif name == _CAPABILITIES:
            known = context.session.client_capabilities
            can_ask = known is not None and known.elicitation is not None
            asked = _asks({"user_name": _NAME} if can_ask else {"greeting": _sampling("Generate a greeting")}, params, None)
        elif name in _ASKED:
            asked = _asks(_ASKED[name], params, "state-ok" if name in _STATEFUL else None)
        else:
            raise MCPError(types.INVALID_PARAMS, f"There is no tool {name}.")
        answers = params.input_responses
        return asked or types.CallToolResult(content=[_text(f"state-ok: {answers}")])

    async def on_list_resources(_: Context, __: Any) -> types.ListResourcesResult:
        kinds = {"test://static-text": "text/plain", "test://static-binary": "image/png"}
        return types.ListResourcesResult(
            resources=[types.Resource(uri=uri, name=uri, mime_type=kind) for uri, kind in kinds.items()]
        )

    async def on_list_resource_templates(_: Context, __: Any) -> types.ListResourceTemplatesResult:
        template = types.ResourceTemplate(uri_template="test://template/{id}/data", name="data", mime_type="application/json")
        return types.ListResourceTemplatesResult(resource_templates=[template])

    async def on_read_resource(_: Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        uri = str(params.uri)
        content: types.TextResourceContents | types.BlobResourceContents
        if uri == "test://static-binary":
            content = types.BlobResourceContents(uri=uri, mime_type="image/png", blob=_PNG)
        elif uri == "test://static-text":
            words = "This is the content of the static text resource."
            content = types.TextResourceContents(uri=uri, mime_type="text/plain", text=words)
        elif uri.startswith("test://template/"):
            id_ = uri.split("/")[3]
            words = f'{{"id":"{id_}","templateTest":true,"data":"Data for ID: {id_}"}}'
            content = types.TextResourceContents(uri=uri, mime_type="application/json", text=words)
        else:
            raise MCPError(types.INVALID_PARAMS, "There is no such resource.", {"uri": uri})
        return types.ReadResourceResult(contents=[content])

    async def on_list_prompts(_: Context, __: Any) -> types.ListPromptsResult:
        taken = {"test_prompt_with_arguments": ("arg1", "arg2"), "test_prompt_with_embedded_resource": ("resourceUri",)}
        others = ("test_simple_prompt", "test_prompt_with_image", "test_input_required_result_prompt")
        prompts = [
            types.Prompt(
                name=name,
                description=name,
                arguments=[types.PromptArgument(name=one, required=True) for one in taken.get(name, ())],
            )
            for name in (*taken, *others)
        ]
        return types.ListPromptsResult(prompts=prompts)

    async def on_get_prompt(
        _: Context, params: types.GetPromptRequestParams
    ) -> types.GetPromptResult | types.InputRequiredResult:
        given, name = params.arguments or {}, params.name
        content: list[types.ContentBlock]
        if name == "test_simple_prompt":
            content = [_text("This is a simple prompt for testing.")]
        elif name == "test_prompt_with_arguments":
            content = [_text(f"Prompt with arguments: arg1='{given.get('arg1')}', arg2='{given.get('arg2')}'")]
        elif name == "test_prompt_with_embedded_resource":
            embedded = _resource(given.get("resourceUri", ""), "Embedded resource content for testing.")
            content = [embedded, _text("Please process the embedded resource above.")]
        elif name == "test_prompt_with_image":
            content = [_IMAGE, _text("Please analyze the image above.")]
        else:
            asked = _asks({"user_context": _form("What context should the prompt use?", "context")}, params, None)
            if asked is not None:
                return asked
            content = [_text(f"With context: {params.input_responses}")]
        return types.GetPromptResult(messages=[types.PromptMessage(role="user", content=one) for one in content])

    async def on_completion(_: Context, params: types.CompleteRequestParams) -> types.CompleteResult:
        cities = [city for city in ("paris", "park", "party") if city.startswith(params.argument.value)]
        return types.CompleteResult(completion=types.Completion(values=cities, total=len(cities), has_more=False))

    return sealed(
        on_list_tools=on_list_tools,
        on_call_tool=on_call_tool,
        on_list_resources=on_list_resources,
        on_list_resource_templates=on_list_resource_templates,
        on_read_resource=on_read_resource,
        on_list_prompts=on_list_prompts,
        on_get_prompt=on_get_prompt,
        on_completion=on_completion,
    )
