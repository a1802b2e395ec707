"""
How the classifier is shown a garment: the photo, or its cut-out on some ground; whole or
stretched; moved a little.
"""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from augment import Rng, plain, uniform_log

DrawnView = Literal["contained", "stretched", "cut-out"]

CUT_OUT_SHARE = 0.42
# An alpha above this is part of the garment when its box is looked for.
INSIDE = 100


@dataclass
class View:
    # 2 x 3: where each pixel comes from, as `affine_grid` wants it.
    grid: Tensor
    # What lies behind a cut-out; without, the photo is shown as it is.
    ground: Tensor | None
    # What lies beside the picture.
    beside: Tensor


def box_of(matte: np.ndarray) -> tuple[float, float, float, float] | None:
    """
    The garment's box, -1..1: left, right, top, bottom; none where the matte is next to nothing
    or everything.
    """
    inside = matte > INSIDE
    if not 0.02 < inside.mean() < 0.95:
        return None
    side = matte.shape[0] / 2
    xs, ys = np.flatnonzero(inside.any(0)), np.flatnonzero(inside.any(1))
    return (xs[0] / side - 1, (xs[-1] + 1) / side - 1, ys[0] / side - 1, (ys[-1] + 1) / side - 1)


def place(aspect: float, box, margin: float, stretched: bool) -> tuple[float, float, float, float]:
    """Centre and half sides of what is shown, of a picture that was stretched to a square."""
    left, right, top, bottom = box
    half_x, half_y = ((b - a) / 2 * (1 + margin) for a, b in ((left, right), (top, bottom)))
    if not stretched:
        half = max(half_x * aspect, half_y)
        half_x, half_y = half / aspect, half
    return (left + right) / 2, (top + bottom) / 2, half_x, half_y


WHOLE = (-1.0, 1.0, -1.0, 1.0)
WHITE = torch.ones(3, 1, 1)


def fixed_view(arrays, i: int, view: DrawnView) -> View:
    box = box_of(arrays["matte"][i]) if view == "cut-out" else None
    shown = place(float(arrays["aspect"][i]), box or WHOLE, 0.06 if box else 0, view == "stretched")
    x, y, half_x, half_y = shown
    grid = torch.tensor([[half_x, 0, x], [0, half_y, y]])
    return View(grid, WHITE if box else None, WHITE)


def random_ground(rng: Rng) -> Tensor:
    drawn = rng.random()
    if drawn < 0.60:
        return WHITE
    if drawn < 0.72:
        return 0.85 + 0.15 * plain(rng, 3, 1, 1)
    if drawn < 0.80:
        return WHITE * float(rng.choice((0.0, 0.5, 0.75)))
    if drawn < 0.88:
        tiles = torch.arange(224) // int(rng.choice((8, 14, 16)))
        return (0.75 + 0.25 * ((tiles[:, None] + tiles[None]) % 2).float()).expand(3, 224, 224)
    return plain(rng, 3, 1, 1)


def random_view(rng: Rng, arrays, i: int) -> View:
    box = box_of(arrays["matte"][i])
    is_cut_out = box is not None and rng.random() < CUT_OUT_SHARE
    is_near = is_cut_out and rng.random() < 0.5
    margin = rng.uniform(0, 0.15) if is_near else 0
    stretched = rng.random() < 0.5
    x, y, half_x, half_y = place(
        float(arrays["aspect"][i]), box if is_near else WHOLE, margin, stretched
    )
    zoom = uniform_log(rng, 0.85, 1.15) if is_near else uniform_log(rng, 0.72, 1.12)
    ratio = math.exp(rng.uniform(-0.14, 0.14))
    half_x, half_y = half_x * zoom * ratio, half_y * zoom / ratio
    x, y = x + rng.uniform(-0.16, 0.16) * half_x, y + rng.uniform(-0.16, 0.16) * half_y
    angle = math.radians(rng.normal(0, 9)) if rng.random() < 0.6 else 0.0
    mirror = -1 if rng.random() < 0.5 else 1
    cos, sin = math.cos(angle), math.sin(angle)
    grid = torch.tensor(
        [[half_x * cos * mirror, -half_x * sin, x], [half_y * sin * mirror, half_y * cos, y]]
    )
    beside = WHITE if rng.random() < 0.7 else plain(rng, 3, 1, 1)
    return View(grid, random_ground(rng) if is_cut_out else None, beside)


def render(arrays, i: int, view: View, size: int) -> Tensor:
    """One picture, 3 x size x size, 0..1."""
    colours = torch.from_numpy(arrays["photo"][i]).permute(2, 0, 1)
    matte = torch.from_numpy(arrays["matte"][i])[None]
    planes = torch.cat([colours, matte, torch.full_like(matte, 255)]).float()[None] / 255
    grid = F.affine_grid(view.grid[None].float(), [1, 1, size, size], align_corners=False)
    seen = F.grid_sample(planes, grid, "bilinear", "zeros", align_corners=False)[0]
    photo, alpha, there = seen[:3], seen[3:4], seen[4:5]
    if view.ground is None:
        return (photo + (1 - there) * view.beside).clamp(0, 1)
    ground = view.ground if view.ground.shape[-1] in (1, size) else view.ground[:, :size, :size]
    return (photo / there.clamp(min=1e-3) * alpha + ground * (1 - alpha)).clamp(0, 1)
