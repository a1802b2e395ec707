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


# Of the side of a picture: so near the frame subjects are cut by it, and pixels count twice.
FRAME = 1 / 20


def framed(planes: Tensor) -> Tensor:
    """1, and 2 along the frame, 1 x 1 x h x w."""
    height, width = planes.shape[-2:]
    down, right = round(height * FRAME), round(width * FRAME)
    weights = torch.full((1, 1, height, width), 2.0, device=planes.device)
    weights[..., down : height - down, right : width - right] = 1
    return weights


def slopes(planes: Tensor, weights: Tensor) -> Tensor:
    """How much neighbours differ, along both axes: mean over what has weight."""
    total = planes.new_zeros(())
    for axis in (2, 3):
        steps = planes.diff(dim=axis).abs()
        least = weights.narrow(axis, 1, steps.shape[axis])
        total = total + (steps * least).sum() / (least.sum() + 1)
    return total


def exact_loss(logits: Tensor, matte: Tensor, trust: Tensor) -> Tensor:
    """
    Of pictures whose mattes are exact: distance of alpha everywhere, more along the frame, again
    at edges, and of its slopes near edges at three sizes.
    """
    error, near = torch.sigmoid(logits) - matte, edges(matte) * trust
    weights = trust * framed(matte)
    total = 2 * (error.abs() * weights).sum() / (weights.sum() + 1)
    total = total + (error.abs() * near).sum() / (near.sum() + 1)
    for _ in range(3):
        total = total + 0.5 * slopes(error, near)
        error, near = F.avg_pool2d(error, 2), F.avg_pool2d(near, 2)
    return total


# A loss of what is plainly inside or outside: so far from edges, in pixels; of so large a part of the
# picture; and no more than this, which is p = .02: what is worse may be the label's fault.
PLAIN_FROM, WORST_SHARE, WORST = 4, 0.004, 4.0


def worst_loss(logits: Tensor, matte: Tensor, trust: Tensor) -> Tensor:
    """
    Of each picture the worst of what is plain: a hole in a sleeve is a few hundred pixels, which
    means over all do not see; inside and outside apart.
    """
    window = 2 * PLAIN_FROM + 1
    least = -F.max_pool2d(-matte, window, 1, PLAIN_FROM)
    most = F.max_pool2d(matte, window, 1, PLAIN_FROM)
    known = trust > 0.9
    count = max(1, round(WORST_SHARE * matte[0].numel()))
    total = logits.new_zeros(())
    for plain, sign in (((least > 0.98) & known, -1), ((most < 0.02) & known, 1)):
        wrong = F.softplus(sign * logits).clamp(max=WORST) * plain
        total = total + wrong.flatten(1).topk(count).values.mean()
    return total


SMOOTHED = 0.05


def named_loss(logits: Tensor, allowed: Tensor) -> Tensor:
    """Of each picture: minus the log of what the classes that its label allows have together."""
    logs = F.log_softmax(logits, 1)
    right = torch.logsumexp(logs.masked_fill(~allowed, -1e9), 1)
    return -(1 - SMOOTHED) * right - SMOOTHED * logs.mean(1)


def class_loss(logits: Tensor, allowed: Tensor, mixed: Tensor | None, share: float) -> Tensor:
    """Where pictures were mixed, of both labels by their share."""
    loss = named_loss(logits, allowed)
    if mixed is not None:
        loss = share * loss + (1 - share) * named_loss(logits, mixed)
    return loss.mean()
