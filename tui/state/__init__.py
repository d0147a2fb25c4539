"""The state kept between runs, and the user's settings."""
