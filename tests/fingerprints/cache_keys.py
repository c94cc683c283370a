"""Keys that training looks up in its cache: a changed key would orphan existing caches."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from unittest import mock

from segboost.pipelines.runtime.artefact_store import ArtefactStore
from tests.fingerprints.image_cases import segmenter


def cache_keys():
    """Return a digest per stage of the keys that training looks up."""
    looked_up = defaultdict(set)
    path = ArtefactStore.path

    def record(store, stage, parts):
        found = path(store, stage, parts)
        looked_up[stage].add(found.name)
        return found

    with mock.patch.object(ArtefactStore, "path", record):
        for preset in ("classic", "paper"):
            segmenter("structboost", preset)
    return {
        stage: hashlib.sha256("\n".join(sorted(keys)).encode()).hexdigest()[:16]
        for stage, keys in sorted(looked_up.items())
    }
