"""What studios put behind and under a subject: grounds of one hue, their light, and shadows."""

import colorsys

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from augment import Rng, near, noise, photo_crop, shifted

# Hue, saturation and value, each from and to, of grounds that are one colour.
HUES = {
    "off-white": ((0, 1), (0, 0.03), (0.86, 0.98)),
    "grey": ((0, 1), (0, 0.02), (0.35, 0.88)),
    "beige": ((0.05, 0.14), (0.08, 0.3), (0.68, 0.96)),
    "pastel": ((0, 1), (0.08, 0.35), (0.72, 0.98)),
    "dark": ((0, 1), (0, 0.3), (0.02, 0.22)),
}


def drawn(rng: Rng, shares: dict[str, float]) -> str:
    """One of the names, as often as its share."""
    return str(rng.choice(list(shares), p=np.array(list(shares.values())) / sum(shares.values())))


def tint(rng: Rng, kind: str) -> Tensor:
    hsv = (rng.uniform(*ends) for ends in HUES[kind])
    return torch.tensor(colorsys.hsv_to_rgb(*hsv), dtype=torch.float32).view(3, 1, 1)


def places(height: int, width: int) -> tuple[Tensor, Tensor]:
    """How far down and to the right each pixel lies, -1..1."""
    down = torch.linspace(-1, 1, height).view(1, height, 1)
    return down, torch.linspace(-1, 1, width).view(1, 1, width)


def graded(rng: Rng, height: int, width: int, depth: float) -> Tensor:
    """Light that falls off along a line, 1 x h x w, about 1."""
    down, right = places(height, width)
    angle = rng.normal(0, 0.5)
    along = float(np.cos(angle)) * down + float(np.sin(angle)) * right
    return 1 + (depth if rng.random() < 0.5 else -depth) * along / 2


def vignette(rng: Rng, height: int, width: int, depth: float) -> Tensor:
    """Corners darker than a bright place near the centre, 1 x h x w."""
    down, right = places(height, width)
    away = (down - rng.uniform(-0.4, 0.3)) ** 2 + (right - rng.uniform(-0.3, 0.3)) ** 2
    return 1 - depth * (away / 2).clamp(max=1)


def floor_line(rng: Rng, height: int, width: int, depth: float) -> Tensor:
    """A floor of another brightness than the wall, with a soft line between, 1 x h x w."""
    down, _ = places(height, width)
    soft = rng.uniform(0.01, 0.2)
    floor = torch.sigmoid((down - rng.uniform(0.2, 0.85)) / soft * 4)
    return (1 - (depth if rng.random() < 0.7 else -depth) * floor).expand(1, height, width)


def light(rng: Rng, kind: str, height: int, width: int) -> Tensor:
    """What falls on a ground, 1 x h x w; on white seldom anything but the same everywhere."""
    often, most = (0.25, 0.08) if kind == "white" else (0.6, 0.35)
    field = torch.ones(1, height, width)
    for shape in (graded, vignette):
        if rng.random() < often:
            field = field * shape(rng, height, width, rng.uniform(0, most))
    if rng.random() < often / 4:
        field = field * floor_line(rng, height, width, rng.uniform(0, most / 2))
    return field


def studio(rng: Rng, kind: str, subject: Tensor, backdrops, height: int, width: int) -> Tensor:
    """
    A ground, 3 x h x w.
    @param subject its mean colour, 3 x 1 x 1: `near` is a ground that is hard to tell from it
    """
    if kind == "photo" and backdrops is not None:
        return photo_crop(rng, backdrops, height)
    if kind == "white":
        colour = torch.full((3, 1, 1), 1.0 if rng.random() < 0.75 else rng.uniform(0.96, 1))
    elif kind in HUES:
        colour = tint(rng, kind)
    else:
        colour = near(rng, subject)
    return (colour * light(rng, kind, height, width)).clamp(0, 1)


def lowest(alpha: Tensor) -> tuple[int, int, int] | None:
    """Of a subject, 1 x h x w, that stands: its lowest row, and where that begins and ends."""
    inside = alpha[0] > 0.5
    rows = inside.any(1).nonzero()
    if len(rows) == 0 or int(rows[-1]) >= alpha.shape[1] - 2:
        return None
    foot = int(rows[-1])
    columns = inside[max(0, foot - alpha.shape[1] // 16) : foot + 1].any(0).nonzero()
    return foot, int(columns[0]), int(columns[-1])


def floor_shadow(rng: Rng, alpha: Tensor) -> Tensor:
    """
    Where a standing subject keeps light from the floor, 1 x h x w, 0..1; nowhere if it is cut.
    """
    stands = lowest(alpha)
    if stands is None:
        return torch.zeros_like(alpha)
    foot, begin, end = stands
    height, width = alpha.shape[1:]
    down, right = torch.arange(height).view(1, -1, 1), torch.arange(width).view(1, 1, -1)
    middle = (begin + end) / 2 + rng.normal(0, 0.05) * width
    across = ((end - begin) / 2 + 2) * rng.uniform(0.8, 1.5)
    deep = height * rng.uniform(0.008, 0.04)
    return torch.exp(-((((right - middle) / across) ** 2 + ((down - foot) / deep) ** 2) ** 1.5))


def wall_shadow(rng: Rng, alpha: Tensor) -> Tensor:
    """A blurred, moved copy of the subject, 1 x h x w, 0..1."""
    height, width = alpha.shape[1:]
    cells = int(rng.integers(24, 72))
    few = F.adaptive_avg_pool2d(alpha[None], cells)
    soft = F.interpolate(few, (height, width), mode="bicubic", align_corners=False)
    most = max(1, height // 24)
    moved = shifted(soft, int(rng.integers(-most // 4, most)), int(rng.integers(-most, most + 1)))
    return moved[0].clamp(0, 1)


def reflection(rng: Rng, colours: Tensor, alpha: Tensor) -> tuple[Tensor, Tensor]:
    """
    A standing subject in a polished floor: its colours upside down, and how much of them is seen.
    """
    stands = lowest(alpha)
    if stands is None:
        return colours, torch.zeros_like(alpha)
    height = alpha.shape[1]
    mirrored = 2 * stands[0] + 1 - torch.arange(height)
    below = ((mirrored >= 0) & (torch.arange(height) > stands[0])).view(1, -1, 1)
    rows = mirrored.clamp(0, height - 1)
    reach = height * rng.uniform(0.08, 0.35)
    fading = (1 - (torch.arange(height).view(1, -1, 1) - stands[0]) / reach).clamp(0, 1)
    return colours[:, rows], alpha[:, rows] * below * fading * rng.uniform(0.06, 0.3)


def shaded(rng: Rng, under: Tensor, colours: Tensor, alpha: Tensor) -> Tensor:
    """A ground with what its subject does to it: shadows on wall and floor, a reflection."""
    if rng.random() < 0.35:
        under = under * (1 - wall_shadow(rng, alpha) * rng.uniform(0.04, 0.35))
    if rng.random() < 0.4:
        under = under * (1 - floor_shadow(rng, alpha) * rng.uniform(0.1, 0.5))
    if rng.random() < 0.12:
        mirrored, seen = reflection(rng, colours, alpha)
        under = under * (1 - seen) + mirrored * seen
    return under.clamp(0, 1)


def grain(rng: Rng, under: Tensor) -> Tensor:
    return (under + noise(rng, *under.shape) * rng.uniform(0, 0.02)).clamp(0, 1)
