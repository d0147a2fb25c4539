"""Accounts that people own: any number per service, in ``config.toml``, with their secrets kept elsewhere.

`Account` is a value: what it is called, which service it belongs to, how it is reached, what is allowed there, and *where* its
secret is. `AccountBook` reads and writes accounts in ``config.toml``, under a lock between processes. `SecretStore` reads,
writes and deletes secrets: in the system keyring, an environment variable, a command's output, or a file of mode 0600.
`opened` makes a connection of an account: the secret is fetched when the first request needs it, and only then.
`AccountMemory` keeps what tests of accounts have shown, in the state folder.

This room never sends a request, never knows a service by name, and never writes a secret anywhere but into the chosen store.
"""
