"""A client of MCP servers: programs that speak the Model Context Protocol on their standard streams, or services over HTTP.

The steps: an address (a command, or a URL with headers) → `McpSession`, which starts the program or connects, does the
handshake of the old or the new protocol, and stays open → the server's list of tools (`Listing`), and results of calls as
JSON values (`McpResult`). While a call runs, the server may report its progress and ask the user something
(`Elicit`); cancelling a call also cancels it at the server.

- A program is started in its own process session, with a few environment variables and those that the user named, and ended
  with all processes that it started. A part of its standard error is kept for error messages; nothing of it reaches the
  terminal.
- What a server sends is text from outside: it may be garbage, huge, or missing. Each of these is a `ServerProblem` that says in
  words what happened.
- The protocol's library is the extra ``callboard[mcp]`` and loads slowly: `session` and `http` import it, and are
  imported only when a server is called.

This room must not know: a toolkit, a tool of the catalogue, the policy, a screen. It sends nothing without being asked to.
"""
