"""Scientific images: any bit depth, any number of channels, stacks, any size, physical units."""
