"""What each network is trained on: its batches, its loss, its validation."""

import math
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from augment import Rng, composites, crops, plain
from camera import as_taken
from loss import class_loss, matte_loss
from views import DrawnView, fixed_view, random_view, render

VALIDATION_SIZE = 320
FAILURE_IOU = 0.85


class Deck:
    """
    Numbers 0..n-1, all of them before one comes again. A function of the seed: no state to
    keep.
    """

    def __init__(self, numbers: list[int], seed: int):
        self.numbers, self.seed = numbers, seed

    def deal(self, start: int, count: int) -> list[int]:
        return [self.at(i) for i in range(start, start + count)] if self.numbers else []

    def at(self, i: int) -> int:
        around, place = divmod(i, len(self.numbers))
        order = np.random.default_rng([self.seed, around]).permutation(self.numbers)
        return int(order[place])


def arrays_of(file: Path) -> dict[str, np.ndarray]:
    with np.load(file) as arrays:
        return {name: arrays[name] for name in arrays.files}


def tensor_of(arrays: dict[str, np.ndarray], name: str) -> Tensor | None:
    return torch.from_numpy(arrays[name]) if name in arrays else None


class CutOutTask:
    # Of sixteen: composites, clothes and people; what the data lacks, the others take over.
    MIX = (6, 4, 6)
    LEARNING_RATE = {"enc": 8e-4, "rest": 3e-3}
    CLIP, WARM_UP = 2.0, 80

    def __init__(self, data: Path, seed: int, batch: int):
        self.arrays = arrays_of(data / "train.npz")
        self.photos, self.mattes, self.trust, self.cutouts, self.backdrops = (
            tensor_of(self.arrays, name)
            for name in ("photo", "matte", "trust", "cutout", "backdrop")
        )
        people = self.arrays["is_person"]
        pools = (
            list(range(0 if self.cutouts is None else len(self.cutouts))),
            np.flatnonzero(~people).tolist(),
            np.flatnonzero(people).tolist(),
        )
        self.pools, self.decks = pools, [Deck(pool, seed + i) for i, pool in enumerate(pools)]
        self.mix(self.MIX, batch)
        self.validation = self.fixed(arrays_of(data / "validation.npz"))

    def mix(self, shares: tuple[int, int, int], batch: int) -> None:
        """How many composites, clothes and people there are in a batch."""
        parts = [part if pool else 0 for part, pool in zip(shares, self.pools)]
        self.counts = [round(batch * part / sum(parts)) for part in parts]

    def counted(self) -> dict[str, int]:
        return dict(zip(("composites", "clothes", "people"), map(len, self.pools)))

    def batch(self, rng: Rng, step: int, size: int) -> tuple[Tensor, ...]:
        made, clothes, people = (
            deck.deal(step * count, count) for deck, count in zip(self.decks, self.counts)
        )
        parts = []
        if made:
            x, alpha = composites(rng, self.cutouts[made], self.backdrops, size)
            parts.append((x, alpha, torch.ones_like(alpha)))
        for chosen in (clothes, people):
            if chosen:
                planes = (self.photos[chosen], self.mattes[chosen], self.trust[chosen])
                parts.append(crops(rng, *planes, size))
        x, matte, trust = (torch.cat(planes) for planes in zip(*parts))
        return torch.stack([as_taken(rng, picture) for picture in x]), matte, trust

    def loss(self, net: nn.Module, rng: Rng, batch: tuple[Tensor, ...]) -> Tensor:
        x, matte, trust = batch
        return matte_loss(net.levels(x), matte, trust)

    def fixed(self, arrays) -> dict[str, tuple[Tensor, Tensor]]:
        """The same pictures at every validation, by their kind."""
        side = (VALIDATION_SIZE, VALIDATION_SIZE)
        people = arrays["is_person"]
        kinds = {}
        for kind, chosen in (("clothes", ~people), ("people", people)):
            if chosen.any():
                x = torch.from_numpy(arrays["photo"][chosen]).permute(0, 3, 1, 2).float() / 255
                matte = torch.from_numpy(arrays["matte"][chosen])[:, None].float() / 255
                kinds[kind] = (F.interpolate(x, side, mode="bilinear"), F.interpolate(matte, side))
        if "cutout" in arrays:
            cutouts = torch.from_numpy(arrays["cutout"])
            rng = np.random.default_rng(5)
            kinds["composites"] = composites(
                rng, cutouts, tensor_of(arrays, "backdrop"), VALIDATION_SIZE
            )
        return kinds

    @torch.no_grad()
    def validate(self, net: nn.Module, device: str) -> dict[str, float]:
        found: dict[str, float] = {}
        for kind, (x, matte) in self.validation.items():
            ious, distances = [], []
            for one, wanted in zip(x.split(8), matte.split(8)):
                alpha = torch.sigmoid(net(one.to(device))).cpu()
                a, b = alpha > 0.5, wanted > 0.5
                joint = (a | b).sum((1, 2, 3)).clamp(min=1)
                ious += ((a & b).sum((1, 2, 3)) / joint).tolist()
                distances += (alpha - wanted).abs().mean((1, 2, 3)).tolist()
            found[f"{kind} mIoU"] = float(np.mean(ious))
            found[f"{kind} MAE"] = float(np.mean(distances))
            found[f"{kind} failures"] = sum(iou < FAILURE_IOU for iou in ious)
        return found


class ClassTask:
    LEARNING_RATE = {"enc": 6e-4, "rest": 2e-3}
    CLIP, WARM_UP = 3.0, 60
    MIXED, MIX_BETA, DROPOUT = 0.3, 0.3, 0.2
    ERASED = 0.2

    def __init__(self, data: Path, seed: int, batch: int):
        self.train, self.held = (arrays_of(data / name) for name in ("train.npz", "validation.npz"))
        self.size_of_batch = batch
        self.deck = Deck(list(range(len(self.train["label"]))), seed)

    def counted(self) -> dict[str, int]:
        return {"clothes": len(self.train["label"])}

    def batch(self, rng: Rng, step: int, size: int) -> tuple[Tensor, ...]:
        chosen = self.deck.deal(step * self.size_of_batch, self.size_of_batch)
        pictures = [
            as_taken(rng, render(self.train, i, random_view(rng, self.train, i), size))
            for i in chosen
        ]
        for picture in pictures:
            if rng.random() < self.ERASED:
                height, width = rng.integers(20, 71, 2)
                top, left = rng.integers(0, size - 71, 2)
                picture[:, top : top + height, left : left + width] = plain(rng, 3, 1, 1)
        return torch.stack(pictures), torch.from_numpy(self.train["label"][chosen])

    def loss(self, net: nn.Module, rng: Rng, batch: tuple[Tensor, ...]) -> Tensor:
        x, labels = batch
        if rng.random() >= self.MIXED:
            return class_loss(net(x, self.DROPOUT)[0], labels, None, 1)
        share = rng.beta(self.MIX_BETA, self.MIX_BETA)
        share = max(share, 1 - share)
        mixed = x * share + x.flip(0) * (1 - share)
        return class_loss(net(mixed, self.DROPOUT)[0], labels, labels.flip(0), share)

    @torch.no_grad()
    def logits(self, net: nn.Module, view: DrawnView, device: str, size: int = 224) -> Tensor:
        answers = []
        for some in np.array_split(
            np.arange(len(self.held["label"])), math.ceil(len(self.held["label"]) / 32)
        ):
            x = torch.stack(
                [render(self.held, i, fixed_view(self.held, i, view), size) for i in some]
            )
            answers.append(net(x.to(device))[0].cpu())
        return torch.cat(answers)

    def validate(self, net: nn.Module, device: str) -> dict[str, float]:
        labels = torch.from_numpy(self.held["label"])
        return {
            f"{view} top-1": float(
                (self.logits(net, view, device).argmax(1) == labels).float().mean()
            )
            for view in ("contained", "stretched", "cut-out")
        }


TASKS = {"garment-cutout": CutOutTask, "garment-class": ClassTask}
