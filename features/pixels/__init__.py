"""Features of single pixels, for borders that are finer than superpixels."""
