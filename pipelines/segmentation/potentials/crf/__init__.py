"""From scores of superpixels to the potentials of the CRF; `class_…`: for several classes."""
