"""The report of a run: one HTML page to look at."""
