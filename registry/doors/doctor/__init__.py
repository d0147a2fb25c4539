"""The report of ``callboard doctor``: the setup of this machine, its files, its network and the accounts. Contains no secret.

`examine` collects it as JSON values; `lines` formats them for people. For credentials it shows the environment variable
and the hosts that they are sent to, never their text. Hosts are asked for their time without a credential.
"""
