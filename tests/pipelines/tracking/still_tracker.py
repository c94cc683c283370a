"""A tracker for tests of what is built on trackers."""

from __future__ import annotations


class Still:
    """A tracker that never moves."""

    def init(self, frame, box):
        self.box = tuple(box)
        self.examples = 1

    def add_example(self, frame, box):
        self.box = tuple(box)
        self.examples += 1

    def update(self, frame):
        return self.box, 0.25

    def close(self):
        pass
