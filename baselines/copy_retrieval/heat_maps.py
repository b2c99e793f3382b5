"""Heat maps of frame similarities by loss, as in the supplement's Figure 1: a clip with its copy and another's."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import torch

from baselines.copy_retrieval.similarity import CopyNetwork, frame_similarities
from baselines.copy_retrieval.whitening import ClipFeatures
from evaluation.figures.svg import QUIET, SvgCanvas, shade, text_width

CELL, GAP, TOP = 10, 24, 84

FrameMaps = list[list[list[float]]]
"""Two matrices of T rows, the clip's frames, and T columns, the copy's: of its own copy, and of another video's."""


def frame_maps(features: ClipFeatures, network: CopyNetwork | None, rate: float) -> FrameMaps:
    """The first tested clip against its first strong copy, and against that of the next tested video's first clip.

    Args: network: None for the features alone. rate: k_s of TopK-Chamfer.
    """
    first = int(features.test[0])
    of_others = [row for row in features.test.tolist() if _video(features, row) != _video(features, first)]
    other = of_others[0] if of_others else int(features.test[-1])
    clip, copies = features.regions[[first], 0], features.regions[[first, other], 1]
    with torch.inference_mode():
        if network is not None:
            clip, copies = network.attended(clip), network.attended(copies)
        maps: FrameMaps = frame_similarities(clip, copies, rate)[0].tolist()
    return [[[round(value, 4) for value in row] for row in matrix] for matrix in maps]


def heat_maps(maps: Mapping[str, FrameMaps], *, note: str) -> str:
    """A row a loss as SVG, the darker the more similar; from the least to the greatest similarity of that row."""
    side = CELL * max(len(matrix) for pair in maps.values() for matrix in pair)
    left = max(text_width(title) for title in maps) + 32
    title = "Similarities of frames by loss"
    width = max(left + 2 * (side + GAP), text_width(title, 15) + 48, text_width(note, 11) + 48)
    sheet = SvgCanvas(width, TOP + len(maps) * (side + GAP) + 24, title=title)
    sheet.words(24, 28, title, size=15, bold=True)
    sheet.words(24, 46, note, size=11, colour=QUIET)
    for column, head in enumerate(("own copy", "copy of another")):
        sheet.words(left + column * (side + GAP), TOP - 12, head)
    for line, (name, pair) in enumerate(maps.items()):
        values = np.array(pair)
        low, high = float(values.min()), float(values.max())
        top = TOP + line * (side + GAP)
        sheet.words(24, top + side / 2, name)
        sheet.words(24, top + side / 2 + 16, f"{low:.2f} to {high:.2f}", size=11, colour=QUIET)
        for (column, y, x), value in np.ndenumerate((values - low) / ((high - low) or 1.0)):
            at = left + column * (side + GAP) + CELL * x
            sheet.box(at, top + CELL * y, CELL, CELL, colour=shade(float(value)))
    return sheet.text()


def _video(features: ClipFeatures, row: int) -> str:
    return features.names[row].rpartition("#")[0]
