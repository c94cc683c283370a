"""Model folders: JSON and npz files, written atomically."""
