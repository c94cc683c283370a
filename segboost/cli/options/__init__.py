"""Options that several commands share, and how bad input becomes a usage error."""
