"""The sections of a report, as HTML."""
