"""What cameras, lights and shops do to a picture."""

import io
import math

import numpy as np
import torch
import torch.nn.functional as F
from PIL import Image
from torch import Tensor

from augment import Rng, noise


def as_jpeg(picture: Tensor, quality: int) -> Tensor:
    pixels = (picture.clamp(0, 1) * 255).byte().permute(1, 2, 0).contiguous().numpy()
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, "JPEG", quality=quality)
    return torch.from_numpy(np.asarray(Image.open(file)).copy()).permute(2, 0, 1).float() / 255


def as_taken(rng: Rng, picture: Tensor) -> Tensor:
    """One picture as other cameras, lights and shops would have it."""
    if rng.random() < 0.8:
        light, contrast = math.exp(rng.normal(0, 0.16)), math.exp(rng.normal(0, 0.12))
        balance = torch.exp(noise(rng, 3, 1, 1) * 0.04)
        mean = picture.mean()
        picture = ((picture - mean) * contrast + mean) * light * balance
    if rng.random() < 0.3:
        picture = picture.clamp(0, 1) ** math.exp(rng.normal(0, 0.25))
    if rng.random() < 0.06:
        picture = picture.mean(0, keepdim=True).expand_as(picture)
    if rng.random() < 0.2:
        size, share = picture.shape[-2:], rng.uniform(0.35, 0.8)
        small = F.interpolate(picture[None], [int(side * share) for side in size], mode="bilinear")
        picture = F.interpolate(small, size, mode="bilinear")[0]
    if rng.random() < 0.3:
        picture = picture + noise(rng, *picture.shape) * rng.uniform(0.005, 0.04)
    if rng.random() < 0.35:
        picture = as_jpeg(picture, int(rng.integers(35, 91)))
    return picture.clamp(0, 1)
