"""Model folders: JSON and npz, written whole or not at all."""
