"""Random keys, clicks, pastes and sizes, from a seed: the explorer must neither end nor freeze, nor leave a crash report."""
