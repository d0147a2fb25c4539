"""The catalogue: what can be called. Toolkits, tools and their parameters, as data that is checked when it is read."""
