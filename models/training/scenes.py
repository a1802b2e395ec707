"""
Pictures as shops show them: subjects with exact mattes before studio grounds, cut by the frame,
some beside others.
"""

import math
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor

from augment import Rng, noise, sample, uniform_log
from camera import as_jpeg
from grounds import drawn, grain, shaded, studio
from inlays import inlaid, with_gaps

# How often each ground is drawn. White is what shops have; the others keep a network from learning
# that what is not white is subject.
GROUNDS = {
    "white": 0.32,
    "off-white": 0.11,
    "grey": 0.16,
    "beige": 0.07,
    "pastel": 0.09,
    "dark": 0.08,
    "near": 0.08,
    "photo": 0.09,
}
# The whole photo, a part of it, its subject with a margin, as the engine's second look has it, or from
# far away: seldom, since the engine looks at what is small on an even ground alone.
FRAMES = {"whole": 0.36, "part": 0.38, "near": 0.19, "far": 0.07}
BESIDE = 0.12
# How often the ground is seen through a subject, and how often parts of it have its colour.
GAPS, INLAYS = 0.08, 0.32
# Less of a picture than this is no subject to learn from.
LEAST = 0.05


@dataclass
class Subject:
    # 3 x s x s, 1 x s x s and 1 x s x s, 0..1, of a photo stretched to a square.
    colours: Tensor
    alpha: Tensor
    trust: Tensor

    def box(self) -> list[float]:
        """-1..1: left, top, right, bottom."""
        side = self.alpha.shape[-1] / 2
        inside = self.alpha[0] > 0.5
        xs, ys = inside.any(0).nonzero(), inside.any(1).nonzero()
        if len(xs) == 0:
            return [-1.0, -1.0, 1.0, 1.0]
        ends = (xs[0], ys[0], xs[-1] + 1, ys[-1] + 1)
        return [float(end) / side - 1 for end in ends]

    def cut(self) -> list[bool]:
        """Which sides of the photo cut it: left, top, right, bottom."""
        inside = self.alpha[0] > 0.5
        sides = (inside[:, 0], inside[0], inside[:, -1], inside[-1])
        return [float(side.float().mean()) > 0.01 for side in sides]


# Outwards along each side: left, top, right, bottom.
OUTWARDS = (-1, -1, 1, 1)


def whole_frame(rng: Rng, box: list[float], cut: list[bool]) -> list[float]:
    """About the photo as it is; beyond a side that cuts its subject there is nothing to show."""
    frame = []
    for out, is_cut in zip(OUTWARDS, cut):
        more = rng.uniform(0, 0.35) if rng.random() < 0.4 else rng.uniform(-0.05, 0.06)
        frame.append(out * (1 + (-rng.uniform(0, 0.07) if is_cut else more)))
    return frame


def near_frame(rng: Rng, box: list[float], cut: list[bool]) -> list[float]:
    """The subject's rectangle with a margin, within the photo."""
    lengths = (box[2] - box[0], box[3] - box[1]) * 2
    margins = [rng.uniform(0.03, 0.2) * length for length in lengths]
    ends = (end + out * margin for end, out, margin in zip(box, OUTWARDS, margins))
    return [min(1.0, max(-1.0, end)) for end in ends]


def far_frame(rng: Rng, box: list[float], cut: list[bool]) -> list[float]:
    """The subject small somewhere in the picture; whole photos whose sides cut it show it near."""
    if any(cut):
        return near_frame(rng, box, cut)
    times, ends = uniform_log(rng, 1.5, 4.5), []
    for i in (0, 1):
        length = box[i + 2] - box[i]
        begin = box[i] - rng.uniform(0.05, 0.95) * (times - 1) * length
        ends.append((begin, begin + times * length))
    return [float(end[i]) for i in (0, 1) for end in ends]


def part_frame(rng: Rng, box: list[float], cut: list[bool]) -> list[float]:
    """A rectangle, more often about the middle of the subject, that mostly cuts it."""
    share = uniform_log(rng, 0.25, 0.95)
    halves = [
        share * math.exp(rng.uniform(-0.25, 0.25)) * (box[i + 2] - box[i]) / 2 for i in (0, 1)
    ]
    frame = [0.0] * 4
    for i, half in enumerate(halves):
        half = min(1.0, max(half, 0.15))
        middle = rng.uniform(box[i], box[i + 2], 2).mean()
        middle = max(middle, -1 + half) if cut[i] else middle
        middle = float(min(middle, 1 - half) if cut[i + 2] else middle)
        frame[i], frame[i + 2] = middle - half, middle + half
    return frame


def shown(rng: Rng, subject: Subject, frame: list[float], side: int, turn: float) -> Tensor:
    """
    What a frame shows of a subject, 5 x side x side: colours, alpha, trust. Beyond the photo the
    subject goes on where a side cuts it, and there is none where not.
    """
    planes = torch.cat([subject.colours, subject.alpha, subject.trust])[None]
    middle = ((frame[0] + frame[2]) / 2, (frame[1] + frame[3]) / 2)
    halves = ((frame[2] - frame[0]) / 2, (frame[3] - frame[1]) / 2)
    while max(halves) * planes.shape[-1] > 1.5 * side:
        planes = F.avg_pool2d(planes, 2)
    angle = math.radians(rng.normal(0, turn)) if rng.random() < 0.3 else 0.0
    mirror = -1 if rng.random() < 0.5 else 1
    cos, sin = math.cos(angle), math.sin(angle)
    grid = torch.tensor(
        [
            [cos * halves[0] * mirror, -sin * halves[0], middle[0]],
            [sin * halves[1] * mirror, cos * halves[1], middle[1]],
        ]
    )
    where = F.affine_grid(grid[None], [1, 1, side, side], align_corners=False)
    return sample(planes, where, "border")[0].clamp(0, 1)


def framed(rng: Rng, subject: Subject, side: int) -> Tensor:
    box, cut = subject.box(), subject.cut()
    kinds = {"whole": whole_frame, "near": near_frame, "part": part_frame, "far": far_frame}
    kind = drawn(rng, FRAMES)
    seen = shown(rng, subject, kinds[kind](rng, box, cut), side, turn=2.5)
    if kind == "far" or float(seen[3].mean()) >= LEAST:
        return seen
    return shown(rng, subject, near_frame(rng, box, cut), side, turn=0)


def turned_hue(rng: Rng, colours: Tensor) -> Tensor:
    """Hues turned about grey: a garment of another colour."""
    angle = rng.normal(0, 0.8)
    cos, sin = math.cos(angle), math.sin(angle) / math.sqrt(3)
    third = (1 - cos) / 3
    turn = torch.tensor(
        [
            [cos + third, third - sin, third + sin],
            [third + sin, cos + third, third - sin],
            [third - sin, third + sin, cos + third],
        ]
    )
    return torch.einsum("ij,jhw->ihw", turn, colours).clamp(0, 1)


def dyed(rng: Rng, colours: Tensor, ground: str) -> Tensor:
    """A subject's colours as others have them; pale on white and dark on dark more often."""
    if rng.random() < 0.2:
        colours = turned_hue(rng, colours)
    if rng.random() < (0.22 if ground in ("white", "off-white") else 0.06):
        colours = 1 - (1 - colours) * rng.uniform(0.15, 0.6)
    elif rng.random() < (0.6 if ground == "dark" else 0.06):
        colours = colours * rng.uniform(0.12, 0.5)
    elif rng.random() < 0.6:
        balance = torch.exp(noise(rng, 3, 1, 1) * 0.04)
        colours = colours ** math.exp(rng.normal(0, 0.15)) * math.exp(rng.normal(0, 0.1)) * balance
    return colours.clamp(0, 1)


def with_another(rng: Rng, front: Tensor, other: Subject, side: int) -> Tensor:
    """Somebody else beside and behind; nobody whom the left or right side of a photo cuts."""
    box, cut = other.box(), other.cut()
    if cut[0] or cut[2]:
        return front
    frame = whole_frame(rng, box, cut)
    away = (frame[2] - frame[0]) * rng.uniform(0.25, 0.55)
    away = -away if rng.random() < 0.5 else away
    frame[0], frame[2] = frame[0] + away, frame[2] + away
    behind = shown(rng, other, frame, side, turn=0)
    free = 1 - front[3:4]
    alpha = front[3:4] + behind[3:4] * free
    colours = (front[:3] * front[3:4] + behind[:3] * behind[3:4] * free) / alpha.clamp(min=1e-3)
    trust = torch.where(front[3:4] > 0.5, front[4:5], torch.minimum(front[4:5], behind[4:5]))
    return torch.cat([colours, alpha, trust])


def as_shown(rng: Rng, picture: Tensor) -> Tensor:
    """What a shop does to a picture; white mostly stays white."""
    side = picture.shape[-1]
    if rng.random() < 0.15:
        few = int(side * rng.uniform(0.45, 0.9))
        small = F.interpolate(picture[None], (few, few), mode="bilinear", align_corners=False)
        picture = F.interpolate(small, (side, side), mode="bilinear", align_corners=False)[0]
    elif rng.random() < 0.25:
        soft = F.avg_pool2d(picture[None], 3, 1, 1, count_include_pad=False)[0]
        picture = picture + (picture - soft) * rng.uniform(0.2, 1.0)
    if rng.random() < 0.12:
        picture = picture * math.exp(rng.normal(0, 0.1))
    if rng.random() < 0.2:
        picture = grain(rng, picture)
    if rng.random() < 0.5:
        picture = as_jpeg(picture, int(rng.integers(45, 96)))
    return picture.clamp(0, 1)


def scene(rng: Rng, subject: Subject, other: Subject, backdrops: Tensor | None, side: int):
    """A picture, its exact matte and how far each pixel of that is trusted."""
    seen = framed(rng, subject, side)
    if rng.random() < BESIDE:
        seen = with_another(rng, seen, other, side)
    colours, alpha, trust = seen[:3], seen[3:4], seen[4:5]
    kind = drawn(rng, GROUNDS)
    colours = dyed(rng, colours, kind)
    if rng.random() < GAPS:
        alpha = with_gaps(rng, alpha)
    mean = (colours * alpha).sum((1, 2)) / (alpha.sum() + 1e-3)
    under = studio(rng, kind, mean.view(3, 1, 1), backdrops, side, side)
    if kind != "photo" and rng.random() < INLAYS:
        colours = inlaid(rng, colours, alpha, under)
    if kind != "photo":
        under = shaded(rng, under, colours, alpha)
    if kind != "white" and rng.random() < 0.3:
        under = grain(rng, under)
    return as_shown(rng, colours * alpha + under * (1 - alpha)), alpha, trust
