"""Settings of a segmentation run."""
