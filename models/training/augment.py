"""
What happens to photos on the way to a network, so that it learns from more than there are. All
of it from one generator.
"""

import math

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

Rng = np.random.Generator


def uniform_log(rng: Rng, low: float, high: float) -> float:
    return math.exp(rng.uniform(math.log(low), math.log(high)))


def noise(rng: Rng, *shape: int) -> Tensor:
    return torch.from_numpy(rng.standard_normal(shape, dtype=np.float32))


def plain(rng: Rng, *shape: int) -> Tensor:
    return torch.from_numpy(rng.random(shape, dtype=np.float32))


def warp(rng: Rng, count: int, side: int, *, turn, zoom, shift, aspect) -> Tensor:
    """
    Where each pixel of the new pictures comes from.
    @param turn standard deviation, degrees, of six in ten pictures; `zoom` a range, above 1 shows
      more; `shift` and `aspect` at most, by half the side and as a logarithm
    """
    grids = torch.zeros(count, 2, 3)
    for i in range(count):
        angle = math.radians(rng.normal(0, turn)) if rng.random() < 0.6 else 0.0
        size, ratio = uniform_log(rng, *zoom), math.exp(rng.uniform(-aspect, aspect))
        mirror = -1 if rng.random() < 0.5 else 1
        cos, sin = math.cos(angle), math.sin(angle)
        grids[i] = torch.tensor(
            [
                [cos * size * ratio * mirror, -sin * size * ratio, rng.uniform(-shift, shift)],
                [sin * size / ratio * mirror, cos * size / ratio, rng.uniform(-shift, shift)],
            ]
        )
    return F.affine_grid(grids, [count, 1, side, side], align_corners=False)


def sample(planes: Tensor, grid: Tensor, beyond: str) -> Tensor:
    return F.grid_sample(planes, grid, "bilinear", beyond, align_corners=False)


def shifted(planes: Tensor, down: int, right: int) -> Tensor:
    """Moved by whole pixels; what comes in at the border is nothing."""
    room = max(abs(down), abs(right))
    padded = F.pad(planes, (room, room, room, room))
    height, width = planes.shape[-2:]
    return padded[..., room - down : room - down + height, room - right : room - right + width]


def gentle_light(rng: Rng, side: int) -> Tensor:
    few = plain(rng, 1, 1, 3, 3)
    return F.interpolate(few, (side, side), mode="bicubic", align_corners=True)[0]


def two_colours(rng: Rng, side: int) -> Tensor:
    """
    Cloth, carpet, boards: two colours mixed by noise of two grains, half of the time in
    stripes.
    """
    mix = torch.zeros(1, side, side)
    for grains, weight in (((4, 8, 14), 1.0), ((24, 48, 96), 0.7)):
        few = int(rng.choice(grains))
        rough = F.interpolate(plain(rng, 1, 1, few, few), (side, side), mode="bilinear")
        mix = mix + weight * rough[0]
    mix = (mix - mix.min()) / (mix.max() - mix.min() + 1e-3)
    if rng.random() < 0.5:
        line = torch.linspace(0, rng.uniform(8, 60), side)
        line = line.view(1, 1, side) if rng.random() < 0.5 else line.view(1, side, 1)
        mix = 0.5 * mix + 0.25 * (torch.sin(line + 3 * mix) + 1)
    one, other = plain(rng, 2, 3, 1, 1)
    return one * mix + other * (1 - mix)


def near(rng: Rng, colour: Tensor) -> Tensor:
    """A colour hard to tell from the subject's: tone on tone."""
    away = noise(rng, 1, 1, 1) * rng.uniform(0.06, 0.22) + noise(rng, 3, 1, 1) * 0.04
    return (colour + away).clamp(0, 1)


def photo_crop(rng: Rng, backdrops: Tensor, side: int) -> Tensor:
    one = backdrops[int(rng.integers(len(backdrops)))].permute(2, 0, 1)[None].float() / 255
    grid = warp(rng, 1, side, turn=20, zoom=(0.4, 1.0), shift=0.2, aspect=0.15)
    return sample(one, grid, "reflection")[0]


# How often each kind of ground is drawn; the rest are crops of photos.
GROUNDS = {
    "dark": 0.07,
    "white": 0.13,
    "off-white": 0.13,
    "plain": 0.10,
    "near": 0.13,
    "texture": 0.07,
}


def ground(rng: Rng, kind: str, colour: Tensor, backdrops: Tensor | None, side: int) -> Tensor:
    if kind == "photo" and backdrops is not None:
        made = photo_crop(rng, backdrops, side)
    elif kind == "dark":
        made = (plain(rng, 1, 1, 1) * 0.16 + noise(rng, 3, 1, 1) * 0.02).clamp(0, 1)
    elif kind == "white":
        made = torch.full((3, 1, 1), 1.0 if rng.random() < 0.6 else rng.uniform(0.93, 1.0))
    elif kind == "off-white":
        made = rng.uniform(0.78, 0.98) + noise(rng, 3, 1, 1) * 0.02
    elif kind == "near":
        made = near(rng, colour)
    elif kind == "plain":
        made = plain(rng, 3, 1, 1)
    else:
        made = two_colours(rng, side)
    if kind == "white" and rng.random() < 0.75:
        return made.expand(3, side, side)
    return made * (1 + (gentle_light(rng, side) - 0.5) * rng.uniform(0, 0.35))


def drawn_ground(rng: Rng) -> str:
    left = rng.random()
    for kind, share in GROUNDS.items():
        left -= share
        if left < 0:
            return kind
    return "photo"


def contact_shadow(rng: Rng, alpha: Tensor) -> Tensor:
    """A blurred, moved copy of each subject, 0..1; it does not come in again at the other side."""
    blur = int(rng.choice((3, 5, 9)))
    soft = F.avg_pool2d(alpha, 4)
    for _ in range(2):
        soft = F.avg_pool2d(F.pad(soft, (blur // 2,) * 4, mode="replicate"), blur, 1)
    soft = F.interpolate(soft, alpha.shape[-2:], mode="bilinear", align_corners=False)
    return shifted(soft, int(rng.integers(-2, 9)), int(rng.integers(-6, 7)))


def composites(rng: Rng, cutouts: Tensor, backdrops: Tensor | None, side: int):
    """Cut-outs, n x h x w x 4 bytes, on other grounds: colours and the exact mattes."""
    planes = cutouts.permute(0, 3, 1, 2).float() / 255
    count = len(planes)
    grid = warp(rng, count, side, turn=14, zoom=(0.8, 1.6), shift=0.18, aspect=0.2)
    fore = sample(planes[:, :3], grid, "border")
    alpha = sample(planes[:, 3:], grid, "zeros").clamp(0, 1)
    shadow = contact_shadow(rng, alpha)
    out = torch.empty(count, 3, side, side)
    for i in range(count):
        kind = drawn_ground(rng)
        # Before the ground is chosen, or tone on tone would be of other tones.
        gain = rng.uniform(0.12, 0.45) if kind == "dark" else math.exp(rng.normal(0, 0.12))
        colours = (fore[i] * gain).clamp(0, 1)
        mean = (colours * alpha[i]).sum((1, 2)) / (alpha[i].sum() + 1e-3)
        under = ground(rng, kind, mean.view(3, 1, 1), backdrops, side)
        depth = rng.uniform(0.08, 0.5) if rng.random() < 0.55 else 0.0
        under = (under * (1 - shadow[i] * depth)).clamp(0, 1)
        out[i] = colours * alpha[i] + under * (1 - alpha[i])
    return out, alpha


def crops(rng: Rng, photos: Tensor, mattes: Tensor, trust: Tensor, side: int):
    """
    Photos, n x h x w x 3 bytes, turned and cropped, with their mattes and how far those are
    trusted.
    """
    planes = torch.cat([photos.permute(0, 3, 1, 2), mattes[:, None], trust[:, None]], 1)
    grid = warp(rng, len(planes), side, turn=6, zoom=(0.72, 1.12), shift=0.10, aspect=0.15)
    moved = sample(planes.float() / 255, grid, "reflection").clamp(0, 1)
    return moved[:, :3], moved[:, 3:4], moved[:, 4:5]
