"""The report of ``callboard doctor``: how this machine, its files, its network and the accounts are set up. It holds no secret.

`examine` gathers it as JSON values; `lines` writes them for people. Of credentials it shows the variable that they come from
and the hosts that they are sent to, never their text. Hosts are asked for their time without a credential.
"""
