"""
What part of a photo `garment-parse` is shown, and in which shape: at run time the subject's box,
which the cut-out network found, and in training what is like it.
"""

import math

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from augment import Rng

# Width by height of what the network is shown; the nearest is taken.
ASPECTS = (1 / 2, 2 / 3, 1, 3 / 2, 2)
# Of the box, on each side.
MARGIN = 0.06
STEP = 32


def shape_of(aspect: float, size: int) -> tuple[int, int]:
    """Height and width, multiples of 32, of about size x size pixels."""
    root = math.sqrt(aspect)
    return round(size / root / STEP) * STEP, round(size * root / STEP) * STEP


def nearest(aspect: float) -> float:
    return min(ASPECTS, key=lambda a: abs(math.log(a / aspect)))


def grown(box: np.ndarray, aspect: float, size: tuple[int, int]) -> np.ndarray:
    """
    The box in that proportion as far as the photo reaches; it grows and never shrinks.
    @param box left, top, right, bottom, pixels
    @param size height and width of the photo
    """
    centre, sides = (box[2:] + box[:2]) / 2, box[2:] - box[:2]
    width = max(sides[0], sides[1] * aspect)
    wanted = np.minimum((width, max(sides[1], width / aspect)), size[::-1])
    least = np.clip(centre - wanted / 2, 0, np.array(size[::-1]) - wanted)
    return np.concatenate([least, least + wanted])


def box_of(inside: np.ndarray) -> np.ndarray | None:
    """Around all that is inside, with a margin, as far as the photo reaches."""
    rows, columns = np.flatnonzero(inside.any(1)), np.flatnonzero(inside.any(0))
    if not len(rows):
        return None
    box = np.array([columns[0], rows[0], columns[-1] + 1, rows[-1] + 1], np.float64)
    margin = (box[2:] - box[:2]) * MARGIN
    limits = np.array(inside.shape[::-1], np.float64)
    return np.concatenate([np.maximum(box[:2] - margin, 0), np.minimum(box[2:] + margin, limits)])


def grid_of(box: np.ndarray, size: tuple[int, int], shape: tuple[int, int], degrees=0.0, mirror=1):
    """Where each pixel of a picture of that shape comes from in a photo of that size."""
    angle, (height, width) = math.radians(degrees), size
    centre, half = (box[2:] + box[:2]) / 2, (box[2:] - box[:2]) / 2
    cos, sin = math.cos(angle), math.sin(angle)
    right, down = half[0] * mirror, half[1]
    matrix = torch.tensor(
        [
            [
                2 * right * cos / width,
                -2 * down * sin / width,
                2 * centre[0] / width - 1,
            ],
            [
                2 * right * sin / height,
                2 * down * cos / height,
                2 * centre[1] / height - 1,
            ],
        ],
        dtype=torch.float32,
    )
    return F.affine_grid(matrix[None], [1, 1, *shape], align_corners=False)


def colours_at(photo: np.ndarray, grid: Tensor) -> Tensor:
    planes = torch.from_numpy(photo).permute(2, 0, 1)[None].float() / 255
    return F.grid_sample(planes, grid, "bilinear", "reflection", align_corners=False)[0]


def labels_at(labels: np.ndarray, grid: Tensor, unknown: int) -> Tensor:
    """Whole numbers; beyond the photo nothing is known."""
    plane = torch.from_numpy(labels)[None, None].float() - unknown
    return (
        F.grid_sample(plane, grid, "nearest", "zeros", align_corners=False)[0, 0] + unknown
    ).long()


def jittered(rng: Rng, box: np.ndarray, size: tuple[int, int]) -> np.ndarray:
    """As another cut-out would have framed it: wider or tighter, moved, in other proportions."""
    centre, half = (box[2:] + box[:2]) / 2, (box[2:] - box[:2]) / 2
    zoom, stretch = math.exp(rng.uniform(-0.12, 0.25)), math.exp(rng.uniform(-0.12, 0.12))
    centre = centre + half * rng.uniform(-0.12, 0.12, 2)
    half = half * zoom * np.array([stretch, 1 / stretch])
    return within(np.concatenate([centre - half, centre + half]), size)


def within(box: np.ndarray, size: tuple[int, int]) -> np.ndarray:
    """Moved into the photo, and cut by it where it is larger."""
    limits = np.array(size[::-1], np.float64)
    sides = np.minimum(box[2:] - box[:2], limits)
    least = np.clip((box[2:] + box[:2]) / 2 - sides / 2, 0, limits - sides)
    return np.concatenate([least, least + sides])


def part_of(rng: Rng, box: np.ndarray, aspect: float, size: tuple[int, int]) -> np.ndarray:
    """A part of the subject, cut by the frame."""
    sides = box[2:] - box[:2]
    height = sides[1] * rng.uniform(0.3, 0.85)
    half = np.array([height * aspect, height]) / 2
    centre = box[:2] + sides * np.array([rng.uniform(0.35, 0.65), rng.uniform(0.15, 0.85)])
    return within(np.concatenate([centre - half, centre + half]), size)
