"""What is remembered, within a run and between runs, and what users set."""
