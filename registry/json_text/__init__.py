"""JSON as text and as values: read strictly, laid out as it came, split into pieces. Every room reads JSON here."""
