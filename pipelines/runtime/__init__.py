"""What every job needs: artefacts, logs, locks, progress, parallel maps, clusters."""
