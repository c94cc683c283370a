"""Annotation files of other tools: COCO, GeoJSON (QuPath), LabelMe, label images."""
