"""What ``callboard doctor`` tells: how this machine, its files, its network and the accounts are set up. Never a secret.

`examine` gathers it as JSON values; `lines` writes them for people. Of credentials it knows which variable they come from, and
to which hosts they travel, and never what they are. Hosts are asked for their time without a credential.
"""
