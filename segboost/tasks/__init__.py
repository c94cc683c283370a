"""What to learn: outputs, losses and separation oracles, one class a task."""
