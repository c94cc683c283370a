"""The structured LP and the loop that solves it by column generation and cutting planes."""
