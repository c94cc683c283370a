"""What holds for all tests: property tests draw the same cases in CI and have no time limit."""

import os

from hypothesis import settings

settings.register_profile("default-cases", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "default-cases")
