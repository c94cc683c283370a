"""Staged jobs on data sets (imported as segboost.pipelines)."""
