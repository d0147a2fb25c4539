"""The form's fields: one for each kind of parameter. A field knows its parameter and its raw value, and nothing about calls."""
