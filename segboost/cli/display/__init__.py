"""Terminal output of the commands: progress bars, score tables and warnings."""
