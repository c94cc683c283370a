"""Image files: opening them under limits, turning them upright, decoding them to arrays."""
