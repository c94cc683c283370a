"""The stages of training, each an artefact on disk; `class_…`: for several classes."""
