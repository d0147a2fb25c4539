"""The MCP server: ``callboard mcp`` serves the tools to agents, under the same rules as every front end.

The data flow: a tool's name with arguments → the engine → values within a budget, marked as data
(`agent_tools`, which does not know the protocol); for a change, a question with the facts of the check is first put to a
person, in the agent's client and in running explorers (`consent`). `server` translates between the agent tools
and the protocol, for clients with and without a handshake, over the pipe and HTTP.

It must never send a change without a person's answer, print to standard output, or be imported by another command. Only
`server` imports the MCP library, which is the extra ``callboard[mcp]``.
"""
