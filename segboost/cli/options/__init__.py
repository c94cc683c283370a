"""Options shared by several commands, and the reporting of bad input as usage errors."""
