"""The version, in the one place that the build, the models and the command line read."""

__version__ = "0.1.0"
