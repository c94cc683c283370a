"""Package version, read by the build, the saved models and the command line."""

__version__ = "0.1.0"
