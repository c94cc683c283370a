"""One module per command (verb) of the command line."""
