"""The structured LP and the loop that solves it by columns and cuts."""
