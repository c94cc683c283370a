"""``segboost reproduce``: the paper's experiments, and several classes on CamVid."""
