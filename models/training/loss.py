"""What the networks are wrong by."""

import torch
import torch.nn.functional as F
from torch import Tensor


def edges(matte: Tensor) -> Tensor:
    """0..1: the range of the matte in a window of five pixels."""
    return (F.max_pool2d(matte, 5, 1, 2) + F.max_pool2d(-matte, 5, 1, 2)).clamp(0, 1)


def matte_loss(levels: tuple[Tensor, Tensor, Tensor], matte: Tensor, trust: Tensor) -> Tensor:
    """
    @param levels logits at full size, 1/2 and 1/8
    @param matte n x 1 x h x w, 0..1
    @param trust how far each pixel of it counts, 0..1
    """
    full, *smaller = levels
    alpha, edge = torch.sigmoid(full), edges(matte)
    cross = F.binary_cross_entropy_with_logits(full, matte, trust * (1 + 2.5 * edge))
    shared = (alpha * matte * trust).sum((1, 2, 3))
    joint = ((alpha + matte - alpha * matte) * trust).sum((1, 2, 3))
    overlap = (1 - (shared + 1) / (joint + 1)).mean()
    at_edges = ((alpha - matte).abs() * edge * trust).sum() / ((edge * trust).sum() + 1)
    total = cross + 0.7 * overlap + 0.5 * at_edges
    for logits in smaller:
        small = [F.adaptive_avg_pool2d(planes, logits.shape[2:]) for planes in (matte, trust)]
        total = total + 0.3 * F.binary_cross_entropy_with_logits(logits, *small)
    return total


def class_loss(logits: Tensor, labels: Tensor, mixed: Tensor | None, share: float) -> Tensor:
    """Cross entropy; where pictures were mixed, of both labels by their share."""
    loss = F.cross_entropy(logits, labels, label_smoothing=0.06)
    if mixed is None:
        return loss
    return share * loss + (1 - share) * F.cross_entropy(logits, mixed, label_smoothing=0.06)
