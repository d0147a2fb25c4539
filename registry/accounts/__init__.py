"""The users' accounts: any number per service, in ``config.toml``, with their secrets stored elsewhere.

`Account` is a value: its name, its service, its address, what is allowed there, and *where* its
secret is. `AccountBook` reads and writes accounts in ``config.toml``, under a lock between processes. `SecretStore` reads,
writes and deletes secrets: in the system keyring, an environment variable, a command's output, or a file of mode 0600.
`opened` makes a connection from an account: the secret is read for the first request, and not before.
`AccountMemory` stores the results of account tests, in the state folder.

This room never sends a request, never knows a service by name, and writes a secret only to the chosen store.
"""
