"""The stages of training, each an artefact on disk."""
