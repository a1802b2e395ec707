"""Where a network's matte has holes within the subject that may be none."""

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

# Looked at in cells of so many pixels.
CELL = 4
# Less than solid, and surely ground.
SOLID, GROUND = 0.9, 0.05
# A real gap is wider than so many cells.
THIN_CELLS = 5


def reached(seeds: Tensor, within: Tensor) -> Tensor:
    """Of `within`, what is connected to the seeds; h x w each."""
    found, before = seeds & within, None
    while before is None or not torch.equal(found, before):
        before = found
        found = (F.max_pool2d(found[None].float(), 3, 1, 1)[0] > 0) & within
    return found


def frame_of(plane: Tensor) -> Tensor:
    frame = torch.ones_like(plane, dtype=torch.bool)
    frame[1:-1, 1:-1] = False
    return frame


def enlarged(cells: Tensor, size: int, more: int) -> np.ndarray:
    """As pixels, size x size, with so many cells around."""
    wider = F.max_pool2d(cells[None].float(), 2 * more + 1, 1, more)[0] > 0
    return wider.numpy().repeat(CELL, 0).repeat(CELL, 1)[:size, :size]


def settled(matte: np.ndarray, trust: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """
    A teacher's doubts within the subject are no holes: closed parts that are nowhere ground become
    solid, and thin ones that are ground somewhere (zips, seams, prints, or a gap) are not trusted.
    @param matte bytes, square, a multiple of CELL; likewise trust
    """
    size = len(matte)
    plane = F.avg_pool2d(torch.from_numpy(matte / np.float32(255))[None], CELL)[0]
    is_open = plane < SOLID
    closed = is_open & ~reached(frame_of(is_open), is_open)
    if not closed.any():
        return matte, trust
    deep = reached(closed & (plane < GROUND), closed)
    wide_cores = -F.max_pool2d(-deep[None].float(), THIN_CELLS, 1, THIN_CELLS // 2)[0] > 0
    thin = deep & ~reached(wide_cores, deep)
    made_solid = enlarged(closed & ~deep, size, 1) & ~enlarged(deep, size, 1)
    return (
        np.where(made_solid, np.uint8(255), matte),
        np.where(enlarged(thin, size, 1), np.uint8(0), trust),
    )
