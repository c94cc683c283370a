"""Scores of superpixels by classifiers, and from them the potentials of the CRF.

Tables and folds: `feature_reader`, `byte_table`, `table_trees`, `folds`, `out_of_fold`.
Scores: `group_classifier`, `linear_words`, `trees`, `linear`, and `context` from first scores.
`class_…`: the same for more than two classes.
"""
