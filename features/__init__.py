"""Images to superpixels, adjacency and feature groups (imported as segboost.features)."""
