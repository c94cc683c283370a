"""Images as the learners see them."""
