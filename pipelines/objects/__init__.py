"""From masks to objects: connected parts, their measurements and their files."""
