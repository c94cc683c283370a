"""Features of boxes, for trackers."""
