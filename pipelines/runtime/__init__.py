"""Services shared by all jobs: artefacts, run logs, locks, resources, workers, clusters."""
