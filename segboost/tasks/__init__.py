"""Tasks: their outputs, losses and separation oracles."""
