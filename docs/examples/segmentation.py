"""Segment objects in new images, given twelve training images with masks."""

import numpy as np
from matplotlib.figure import Figure

from segboost.datasets import load_synthetic
from segboost.pipelines import SegmentationPipeline

data = load_synthetic(12, 4, seed=3, height=96, width=128)
images, masks = zip(*(item.load() for item in data.train), strict=True)

model = SegmentationPipeline("fast").fit(images, masks)

test = [item.load() for item in data.test]
scores = model.evaluate(*zip(*test, strict=True))
print(f"mean intersection over union on new images: {scores.mean_iou:.1%}")
assert scores.mean_iou > 0.6

figure = Figure(figsize=(9, 7.2), layout="constrained")
for row, (image, truth) in zip(figure.subplots(4, 4), test, strict=True):
    panels = (image, truth, model.predict(image), model.predict_proba(image))
    for ax, panel, title in zip(
        row, panels, ("image", "truth", "mask", "probability"), strict=True
    ):
        ax.imshow(panel, cmap="magma", vmin=0, vmax=255 if panel is image else 1)
        ax.set_axis_off()
        if image is test[0][0]:
            ax.set_title(title)
figure.suptitle(f"Segmentation: {scores.mean_iou:.1%} mean IoU on new images")
figure.savefig("segmentation.png", dpi=90)
assert np.isfinite(scores.break_even)
