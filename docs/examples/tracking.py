"""Track a target that is hidden for a while, given one box and learning online."""

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from segboost import StructBoostTracker
from segboost.datasets.synthetic.track import draw_track

video = draw_track(n_frames=36, hidden=(14, 17), seed=2)
tracker = StructBoostTracker(random_state=0)
tracker.init(video.frames[0], video.boxes[0])
found = [(video.boxes[0], 1.0), *(tracker.update(frame) for frame in video.frames[1:])]
tracker.close()

boxes, confidence = np.array([box for box, _ in found]), np.array([c for _, c in found])
centres = [b[:, :2] + b[:, 2:] / 2 for b in (boxes, video.boxes)]
error = np.linalg.norm(centres[0] - centres[1], axis=1)
print(f"centre error in the last frame: {error[-1]:.1f} pixels")
assert error[-1] < 6

figure = Figure(figsize=(9, 4.6), layout="constrained")
top, bottom = figure.subfigures(2, 1, height_ratios=(1.25, 1))
for ax, t in zip(top.subplots(1, 4), (0, 12, 16, 35), strict=True):
    ax.imshow(video.frames[t])
    colour = "gold" if confidence[t] > 0.5 else "red"
    x, y, w, h = boxes[t]
    ax.add_patch(Rectangle((x, y), w, h, fill=False, ec=colour, lw=2))
    ax.set_title(f"frame {t}: {confidence[t]:.2f}")
    ax.set_axis_off()
ax = bottom.subplots()
ax.axvspan(14, 17, color="0.85", label="hidden")
ax.plot(confidence, label="confidence")
ax.plot(error / 30, label="centre error / 30 pixels")
ax.set(xlabel="frame", ylim=(0, 1.3))
ax.legend(frameon=False, ncols=3, loc="upper left")
figure.savefig("tracking.png", dpi=90)
