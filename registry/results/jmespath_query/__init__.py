"""JMESPath queries over JSON text, with exact numbers."""
