"""The catalogue of toolkits, tools and their parameters, as data that is validated when it is read."""
