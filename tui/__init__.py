"""The screens. They build no request, open no socket and read no secret; `registry` does."""
