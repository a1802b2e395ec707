"""
What makes a subject hard to tell from its ground: parts of it in the ground's colour, as zips,
linings, panels and prints have it, and gaps through which the ground is seen.
"""

import math

import torch
import torch.nn.functional as F
from torch import Tensor

from augment import Rng, noise, uniform_log
from grounds import drawn

# Pointed, as what lies between arm and body, or round; and long and thin, as zips, straps and
# waistbands, or round. A thin strip of the ground's colour is seldom a gap.
GAPS = {"wedge": 0.7, "ellipse": 0.3}
INLAYS = {"strip": 0.85, "ellipse": 0.15}
# Gaps and inlays of one picture, at most.
MOST = 2


def inner(alpha: Tensor, pixels: int) -> Tensor:
    """What of a matte, 1 x h x w, lies so many pixels within."""
    return -F.max_pool2d(-alpha[None], 2 * pixels + 1, 1, pixels)[0]


def form(rng: Rng, alpha: Tensor, kinds: dict[str, float]) -> Tensor:
    """A shape with edges a pixel soft, 1 x h x w, its middle somewhere in the subject."""
    side = alpha.shape[-1]
    places = (alpha[0] > 0.9).nonzero()
    if len(places) == 0:
        return torch.zeros_like(alpha)
    down, right = places[int(rng.integers(len(places)))].tolist()
    pixels = torch.arange(side, dtype=torch.float32)
    y, x = pixels.view(-1, 1) - down, pixels.view(1, -1) - right
    # Mostly upright or level, as seams are.
    angle = math.pi / 2 * int(rng.integers(4)) + rng.normal(0, 0.25)
    along = math.cos(angle) * x + math.sin(angle) * y
    across = math.cos(angle) * y - math.sin(angle) * x
    kind = drawn(rng, kinds)
    if kind == "ellipse":
        a, b = (uniform_log(rng, 0.01, 0.08) * side for _ in range(2))
        inside = (1 - torch.sqrt((along / a) ** 2 + (across / b) ** 2)) * min(a, b)
    elif kind == "wedge":
        long, wide = uniform_log(rng, 0.06, 0.35) * side, uniform_log(rng, 0.01, 0.06) * side
        inside = torch.minimum(wide * (1 - along / long) - across.abs(), along)
    else:
        long, wide = uniform_log(rng, 0.05, 0.5) * side, uniform_log(rng, 0.004, 0.035) * side
        bend = rng.normal(0, 0.15) / long
        inside = torch.minimum(wide - (across - bend * along**2).abs(), long - along.abs())
    return (inside + 0.5).clamp(0, 1)[None]


def with_gaps(rng: Rng, alpha: Tensor) -> Tensor:
    """A matte through which the ground is seen in one place or a few."""
    for _ in range(int(rng.integers(1, MOST + 1))):
        alpha = alpha * (1 - form(rng, alpha, GAPS))
    return alpha


def inlaid(rng: Rng, colours: Tensor, alpha: Tensor, under: Tensor) -> Tensor:
    """
    A subject of which parts are of about the ground's colour, in the light and the folds that the
    subject has there, most of them with a seam.
    """
    luma = colours.mean(0, keepdim=True)
    around = F.avg_pool2d(luma[None], 15, 1, 7, count_include_pad=False)[0]
    folds = (luma / around.clamp(min=0.05)).clamp(0.75, 1.25)
    for _ in range(int(rng.integers(1, MOST + 1))):
        # Some go through to the outline, as waistbands do, of which only the seam tells.
        within = inner(alpha, int(rng.integers(2, 6))) if rng.random() < 0.7 else alpha
        where = form(rng, alpha, INLAYS) * within
        tone = under * (1 + noise(rng, 3, 1, 1) * 0.02) + rng.normal(0, 0.02)
        seam = F.max_pool2d(where[None], 3, 1, 1)[0] - inner(where, 1)
        colours = torch.lerp(colours, (tone * folds).clamp(0, 1), where)
        colours = colours * (1 - seam * alpha * rng.uniform(0, 0.45))
    return colours.clamp(0, 1)
