"""Feature groups from pretrained networks (imported as segboost.features.network)."""
