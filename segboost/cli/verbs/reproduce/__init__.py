"""``segboost reproduce``: one module per experiment of the paper."""
