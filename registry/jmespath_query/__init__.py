"""Asking a document: JMESPath queries over JSON text whose numbers stay as they came."""
