"""The toolkit that the on-call rooms stand on."""

TOOLKIT = "Incidents"
