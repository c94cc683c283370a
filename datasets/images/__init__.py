"""Labelled images: folders, scientific images, Graz-02, CamVid, SUN scenes, and their masks."""
