"""Services shared by all jobs: artefacts, logs, locks, progress, parallel maps, clusters."""
