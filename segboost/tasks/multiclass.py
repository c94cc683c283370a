"""The multi-class task under the name that people look for."""

from segboost.tasks.label_codes import MulticlassTask, zero_one_cost

__all__ = ["MulticlassTask", "zero_one_cost"]
