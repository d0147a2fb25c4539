"""JSON schemas from MCP servers, converted to parameters: those of tools, and those of questions that a server asks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from registry.catalog.checking import checked_tools
from registry.catalog.model import Parameter, Returns, Tool
from registry.catalog.problems import CatalogProblem
from registry.catalog.service import Authentication, Host, Service
from registry.openapi.document import Document, Node
from registry.openapi.forms import PatternBudget
from registry.openapi.inputs import Inputs
from registry.openapi.operations import Faults
from registry.openapi.remarks import DocumentRefused
from registry.openapi.schemas import shape_of

_VERSION = "3.1"
"""The version of OpenAPI that uses the schemas of JSON Schema 2020-12."""


def schema_node(schema: Mapping[str, Any], name: str) -> Node:
    """A schema as its own document, so that its references lead only into itself.

    Args:
        schema: the schema.
        name: its name in remarks.
    """

    def refuse(other: str, _: str) -> bytes:
        raise DocumentRefused(other, "", "is another document, which a server’s schema may not refer to")

    return Document(name, dict(schema), _VERSION, refuse).top


def inputs_of(schema: Node, remark: Callable[[Node, str], None], patterns: PatternBudget) -> Inputs:
    """The parameters for an object with this schema.

    Raises:
        DocumentRefused: a reference in it leads nowhere.
    """
    inputs = Inputs(remark, patterns)
    shape = shape_of((schema,))
    if shape.properties or shape.branches or shape.more is not None or shape.type != "object":
        words = "All arguments, as one JSON object."
        inputs.add_body({"application/json": (schema, (schema,))}, required=True, words=words, only_named=True)
    inputs.finish()
    return inputs


def form_of(schema: Mapping[str, Any], toolkit: str) -> Tool:
    """The form for a server's question, as a tool that is never called. A schema that no form can show is a JSON field."""
    entry: dict[str, Any] = {
        "toolkit": toolkit,
        "exact": True,
        "name": "Question",
        "operation": "elicitation/create",
        "group": "Questions",
        "method": "POST",
        "path": "/",
        "effect": "write",
        "summary": "What the server asks.",
        "returns": {"kind": "object", "objects": ["object"]},
    }
    try:
        inputs = inputs_of(schema_node(schema, toolkit), lambda *_: None, PatternBudget())
    except (DocumentRefused, RecursionError):
        return _as_json(entry)
    except Exception as error:  # a bug of ours; the person can answer as JSON anyway
        Faults().reported(error)
        return _as_json(entry)
    entry |= {"body": inputs.body or "none", "parameters": inputs.entries}
    if inputs.content_type is not None:
        entry["content_type"] = inputs.content_type
    service = Service(
        toolkit=toolkit,
        name="question",
        title="Question",
        summary="Question.",
        hosts={"api": Host(usual="https://question.invalid")},
        authentication=(Authentication(kind="none"),),
    )
    problems: list[CatalogProblem] = []
    return next(checked_tools([entry], "question", service, problems), None) or _as_json(entry)


def _as_json(entry: dict[str, Any]) -> Tool:
    answer = Parameter(name="answer", type="any", help="The answer, as JSON.", place="body", role="field", wire_name="answer")
    fields = {key: value for key, value in entry.items() if key not in ("parameters", "body", "content_type", "returns")}
    returns = Returns(kind="object", objects=("object",))
    return Tool(**fields, returns=returns, body="raw", content_type="application/json", parameters=(answer,))
