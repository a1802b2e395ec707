"""Colours of subjects under soft edges, and backdrops without their subjects."""

import numpy as np
import torch
import torch.nn.functional as F
from scipy import ndimage
from torch import Tensor

# Windows of the estimate of the subject's colours, by the picture's side: one wide, one narrow.
WIDE, NARROW = 81 / 480, 7 / 480
# A part of a cut-out smaller than this, by the largest part, is an island and dropped.
ISLAND_SHARE = 0.05


def odd(pixels: float) -> int:
    return max(3, int(pixels) | 1)


def windows(planes: Tensor, side: int, axis: int) -> Tensor:
    """
    Sums over windows along one axis, from running sums: as quick for wide windows as for narrow
    ones.
    """
    size, half = planes.shape[axis], side // 2
    running = F.pad(planes.cumsum(axis), (0, 0, 1, 0) if axis == 1 else (1, 0))
    place = torch.arange(size)
    ends, begins = (place + half + 1).clamp(max=size), (place - half).clamp(min=0)
    return running.index_select(axis, ends) - running.index_select(axis, begins)


def box(planes: Tensor, side: int) -> Tensor:
    """Mean over a square window; at the border over what is there."""
    sums, count = (
        windows(windows(part.double(), side, 1), side, 2)
        for part in (planes, torch.ones_like(planes[:1]))
    )
    return (sums / count).float()


def planes_of(pixels: np.ndarray) -> Tensor:
    return torch.from_numpy(np.array(pixels)).permute(2, 0, 1).float() / 255


def pixels_of(planes: Tensor) -> np.ndarray:
    return (planes.clamp(0, 1) * 255 + 0.5).byte().permute(1, 2, 0).numpy()


def subject_colours(photo: Tensor, alpha: Tensor) -> Tensor:
    """
    The subject's own colours, so that a composite has no halo of the old backdrop.
    @param alpha 1 x h x w, 0..1
    @see Forte 2021, blur-fusion foreground estimation
    """
    fore, back = photo, photo
    for window in (WIDE, NARROW):
        side = odd(window * photo.shape[1])
        share = box(alpha, side)
        blurred = box(fore * alpha, side) / (share + 1e-5)
        back = box(back * (1 - alpha), side) / (1 - share + 1e-5)
        fore = (blurred + alpha * (photo - alpha * blurred - (1 - alpha) * back)).clamp(0, 1)
    return fore


def backdrop(photo: Tensor, alpha: Tensor) -> Tensor:
    """The photo with its subject painted over by the colours around it, from ever wider windows."""
    outside = 1 - (F.max_pool2d(alpha[None], 17, 1, 8)[0] > 0.05).float()
    filled, known = photo * outside, outside.clone()
    side = 9
    while bool((known == 0).any()) and side < 2 * photo.shape[1]:
        share = box(outside, side)
        reached = (known == 0) & (share > 0.02)
        guess = box(photo * outside, side) / (share + 1e-5)
        filled = torch.where(reached, guess, filled)
        known = torch.where(reached, torch.ones_like(known), known)
        side = 2 * side + 1
    return filled


def without_islands(alpha: Tensor) -> Tensor:
    """
    Alpha with only the parts that are large beside the largest; gaps of a few pixels part nothing.
    """
    inside = alpha[0] > 0.5
    if not bool(inside.any()):
        return alpha
    joined = F.max_pool2d(inside[None, None].float(), 5, 1, 2)[0, 0] > 0
    parts, _ = ndimage.label(joined.numpy(), ndimage.generate_binary_structure(2, 2))
    sizes = np.bincount(parts[inside.numpy()])
    is_large = torch.from_numpy(sizes > ISLAND_SHARE * sizes.max())
    kept = is_large[torch.from_numpy(parts).long()] & inside
    return alpha * F.max_pool2d(kept[None, None].float(), 11, 1, 5)[0]
