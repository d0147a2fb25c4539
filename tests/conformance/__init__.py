"""What others say of the door for agents: the protocol's conformance suite, the Inspector's command line, a tokenizer."""
