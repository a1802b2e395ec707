"""Batches made before they are needed, by other processes."""

from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor
from torch.utils.data import Dataset

Batch = tuple[np.random.Generator, list[Tensor]]


class Batches(Dataset):
    """
    What each step learns from, by its number.
    @param size_of the side of its pictures
    @param in_bytes what lies within 0..1 takes a quarter of the memory on its way between processes
    """

    def __init__(self, task, seed: int, size_of: Callable[[int], int], in_bytes: bool):
        self.task, self.seed, self.size_of, self.in_bytes = task, seed, size_of, in_bytes

    def __getitem__(self, step: int) -> Batch:
        rng = np.random.default_rng([self.seed, step])
        parts = list(self.task.batch(rng, step, self.size_of(step)))
        if self.in_bytes:
            parts = [(p * 255 + 0.5).byte() if p.is_floating_point() else p for p in parts]
        return rng, parts

    @staticmethod
    def on(device: str, parts: list[Tensor]) -> list[Tensor]:
        """There, and within 0..1 again."""
        moved = (part.to(device, non_blocking=True) for part in parts)
        return [part.float() / 255 if part.dtype == torch.uint8 else part for part in moved]
