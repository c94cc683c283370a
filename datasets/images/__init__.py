"""Labelled images: folders, Graz-02, SUN scenes, and their masks."""
