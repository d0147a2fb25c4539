"""A server made with the protocol's own library: ``python -m tests.mcp_client.sdk_server`` speaks on its standard streams."""

from typing import Any

from mcp.server.mcpserver import Context, MCPServer
from mcp_types import CallToolResult, ResourceLink, TextContent
from pydantic import BaseModel

SERVER = MCPServer("library")


class Book(BaseModel):
    """A book."""

    title: str
    year: int


@SERVER.tool()
def books() -> list[Book]:
    """All books."""
    return [Book(title="Emma", year=1815), Book(title="Ulysses", year=1922)]


@SERVER.tool()
async def borrow(title: str, ctx: Context[Any, Any]) -> CallToolResult:
    """Borrow a book."""
    await ctx.info("looking on the shelf")
    await ctx.report_progress(1, 2, "at the desk")
    await ctx.warning({"late": title})
    link = ResourceLink(type="resource_link", uri="library://rules", name="rules")
    return CallToolResult(content=[TextContent(type="text", text=f"Take {title}."), link])


@SERVER.tool()
async def close(ctx: Context[Any, Any]) -> str:
    """Remove a tool, and say so."""
    SERVER.remove_tool("books")
    await ctx.session.send_tool_list_changed()
    return "closed"


@SERVER.resource("library://rules", mime_type="text/plain")
def rules() -> str:
    """The rules."""
    return "Be quiet."


@SERVER.resource("library://books/{title}")
def book(title: str) -> str:
    """One book."""
    return title


@SERVER.prompt()
def review(title: str) -> str:
    """Ask for a review."""
    return f"Review {title}, please."


if __name__ == "__main__":
    SERVER.run()
