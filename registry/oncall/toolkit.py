"""The toolkit that the on-call packages use."""

TOOLKIT = "Incidents"
