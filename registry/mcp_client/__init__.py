"""A client of MCP servers: programs that speak the Model Context Protocol on their standard streams, or services over HTTP.

What flows: an address (a command, or a URL with headers) → `McpSession`, which starts the program or connects, shakes hands in
either era of the protocol and stays open → the server's list of tools (`Listing`), and results of calls as JSON values
(`Answer`). While a call runs, the server may tell its progress and ask the user something (`Asked` → `Answered`); a call that
is cancelled is cancelled at the server.

- A program is started in a session of its own, with a few variables of the environment and those that the user named, and
  ended with everything that it has started. What it writes to its standard error is kept, in part, for an error's sentence, and
  never reaches the terminal.
- What comes from a server is text from outside: it may be garbage, huge, or nothing at all. Each is a `ServerProblem` that says
  in words what happened.
- The protocol's library is the extra ``callboard[mcp]`` and loads slowly: `session`, `stdio` and `http` import it, and are
  imported when a server is called and not before.

This room must never know: a toolkit, a tool of the catalogue, the policy, a screen. It sends nothing that it was not told to.
"""
