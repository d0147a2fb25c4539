"""The state of a run, the state kept between runs, and the user's settings."""
