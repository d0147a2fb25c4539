"""Random keys, clicks, pastes and sizes from a seed. The explorer must not end, freeze or leave a crash report."""
