"""What a report shows about finished runs: their data and pictures."""
