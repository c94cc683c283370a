"""Feature groups: one matrix per group, one row per superpixel."""
