"""What commands show on the terminal: progress bars and score tables."""
