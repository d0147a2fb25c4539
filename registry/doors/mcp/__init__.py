"""The MCP server: ``callboard mcp`` serves the tools to agents, under the same rules as every front end.

What flows through it: the name of one of its tools with arguments → the engine → values within a budget, marked as data
(`desk`, which knows no protocol); for a change, first a question with the facts of the check to the person (`asking`), in the
agent's client and in running explorers (`in_explorer`). `server` translates between the desk and the protocol, for clients with
and without a handshake; `stdio` and `http` carry it.

It must never send a change without a person's answer, print to standard output, or be imported by another command. Only
`server`, `observing`, `stdio` and `http` import the protocol's library, which is the extra ``callboard[mcp]``.
"""
