"""Tasks: outputs, losses and separation oracles, one class per task."""
