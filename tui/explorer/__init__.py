"""The three panes: tools, form, result."""
