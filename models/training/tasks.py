"""What each network is trained on: its batches, its loss, its validation."""

from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from augment import Rng, composites, crops
from camera import as_taken
from deck import Deck
from loss import exact_loss, matte_loss, worst_loss
from parse import ParseTask
from scenes import Subject, scene

# As at run time.
VALIDATION_SIZE = 352
VALIDATION_SCENES = 48
FAILURE_IOU = 0.85
# How often store photos and photos of people are dealt beside one drawing.
STORE_TIMES, PEOPLE_TIMES = 6, 2
# Of the worst parts of each picture, beside the means.
WORST_WEIGHT = 0.25
# Labels of people are a little wide: so many pixels on each side are not taken along where people
# are laid on other grounds.
TAKEN_OFF = 2


def arrays_of(file: Path) -> dict[str, np.ndarray]:
    with np.load(file) as arrays:
        return {name: arrays[name] for name in arrays.files}


def tensor_of(arrays: dict[str, np.ndarray], name: str) -> Tensor | None:
    return torch.from_numpy(arrays[name]) if name in arrays else None


def stored_subject(arrays: dict[str, np.ndarray], i: int) -> Subject:
    """A store photo's subject with its exact matte."""
    planes = torch.from_numpy(arrays["store"][i]).permute(2, 0, 1).float() / 255
    known = torch.from_numpy(arrays["store_known"][i])[None].float() / 255
    return Subject(planes[:3], planes[3:], known)


def edge_band(matte: Tensor) -> Tensor:
    """Within three pixels of an edge: 1, else 0."""
    inside = (matte > 0.5).float()
    most, least = F.max_pool2d(inside, 7, 1, 3), -F.max_pool2d(-inside, 7, 1, 3)
    return ((most > least) | ((matte > 0.02) & (matte < 0.98))).float()


class CutOutTask:
    # Of sixteen: composites, clothes, people and scenes; what the data lacks, the others take over.
    MIX = (3, 2, 4, 7)
    LEARNING_RATE = {"enc": 8e-4, "rest": 3e-3}
    CLIP, WARM_UP = 2.0, 80

    def __init__(self, data: Path, seed: int, batch: int):
        self.arrays = arrays_of(data / "train.npz")
        self.photos, self.mattes, self.trust, self.cutouts, self.backdrops = (
            tensor_of(self.arrays, name)
            for name in ("photo", "matte", "trust", "cutout", "backdrop")
        )
        people = np.flatnonzero(self.arrays["is_person"]).tolist()
        pools = (
            list(range(0 if self.cutouts is None else len(self.cutouts))),
            np.flatnonzero(~self.arrays["is_person"]).tolist(),
            people,
            self.dealt_for_scenes(people),
        )
        self.pools, self.decks = pools, [Deck(pool, seed + i) for i, pool in enumerate(pools)]
        self.mix(self.MIX, batch)
        self.validation = self.fixed(arrays_of(data / "validation.npz"))

    def dealt_for_scenes(self, people: list[int]) -> list[int]:
        """Photos of people by their numbers, store photos by -1, -2 and so on, as often as due."""
        if "store" not in self.arrays:
            return []
        times = self.arrays["store_times"]
        times = np.where(self.arrays["is_drawn"], times, STORE_TIMES * times)
        return np.repeat(-1 - np.arange(len(times)), times).tolist() + PEOPLE_TIMES * people

    def subject(self, number: int) -> Subject:
        if number < 0:
            return stored_subject(self.arrays, -1 - number)
        matte = self.mattes[number][None].float() / 255
        least = -F.max_pool2d(-matte[None], 2 * TAKEN_OFF + 1, 1, TAKEN_OFF)[0]
        colours = self.photos[number].permute(2, 0, 1).float() / 255
        return Subject(colours, least, (self.trust[number][None] > 127).float())

    def mix(self, shares: tuple[int, ...], batch: int) -> None:
        """How many composites, clothes, people and scenes there are in a batch."""
        parts = [part if pool else 0 for part, pool in zip(shares, self.pools)]
        self.counts = [round(batch * part / sum(parts)) for part in parts]

    def counted(self) -> dict[str, int]:
        names = ("composites", "clothes", "people", "scenes")
        return dict(zip(names, (len(set(pool)) for pool in self.pools)))

    def batch(self, rng: Rng, step: int, size: int) -> tuple[Tensor, ...]:
        made, clothes, people, staged = (
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
        taken = [
            (torch.stack([as_taken(rng, picture) for picture in x]), *planes)
            for x, *planes in parts
        ]
        if staged:
            taken.append(self.scenes(rng, staged, size))
        x, matte, trust = (torch.cat(planes) for planes in zip(*taken))
        is_exact = torch.zeros(len(x), 1, 1, 1)
        is_exact[: len(made)] = 1
        is_exact[len(x) - len(staged) :] = 1
        return x, matte, trust, is_exact

    def scenes(self, rng: Rng, numbers: list[int], size: int) -> tuple[Tensor, ...]:
        made = []
        for number in numbers:
            other = int(rng.choice(self.pools[3]))
            pair = self.subject(number), self.subject(other)
            made.append(scene(rng, *pair, self.backdrops, size))
        return tuple(torch.stack(planes) for planes in zip(*made))

    def loss(self, net: nn.Module, rng: Rng, batch: tuple[Tensor, ...]) -> Tensor:
        x, matte, trust, is_exact = batch
        levels = net.levels(x)
        whole = matte_loss(levels, matte, trust) + exact_loss(levels[0], matte, trust * is_exact)
        return whole + WORST_WEIGHT * worst_loss(levels[0], matte, trust)

    def fixed(self, arrays) -> dict[str, tuple[Tensor, ...]]:
        """The same pictures at every validation, by their kind, with mattes and their trust."""
        side = (VALIDATION_SIZE, VALIDATION_SIZE)
        people = arrays["is_person"]
        kinds = {}
        for kind, chosen in (("clothes", ~people), ("people", people)):
            if chosen.any():
                x = torch.from_numpy(arrays["photo"][chosen]).permute(0, 3, 1, 2).float() / 255
                matte = torch.from_numpy(arrays["matte"][chosen])[:, None].float() / 255
                x, matte = F.interpolate(x, side, mode="bilinear"), F.interpolate(matte, side)
                kinds[kind] = (x, matte, torch.ones_like(matte))
        if "cutout" in arrays:
            cutouts = torch.from_numpy(arrays["cutout"])
            rng = np.random.default_rng(5)
            x, matte = composites(rng, cutouts, tensor_of(arrays, "backdrop"), VALIDATION_SIZE)
            kinds["composites"] = (x, matte, torch.ones_like(matte))
        if "store" in arrays:
            drawn = arrays["is_drawn"]
            for kind, chosen in (("scenes", ~drawn), ("drawn", drawn)):
                if chosen.any():
                    kinds[kind] = self.fixed_scenes(arrays, np.flatnonzero(chosen))
        return kinds

    def fixed_scenes(self, arrays, chosen: np.ndarray) -> tuple[Tensor, ...]:
        rng, count = np.random.default_rng(6), len(chosen)
        backdrops = tensor_of(arrays, "backdrop")
        made = []
        for i in range(VALIDATION_SCENES):
            pair = (stored_subject(arrays, chosen[n % count]) for n in (i, i + 1))
            made.append(scene(rng, *pair, backdrops, VALIDATION_SIZE))
        return tuple(torch.stack(planes) for planes in zip(*made))

    @torch.no_grad()
    def validate(self, net: nn.Module, device: str) -> dict[str, float]:
        found: dict[str, float] = {}
        for kind, planes in self.validation.items():
            ious, distances, at_edges = [], [], []
            for one, wanted, trust in zip(*(each.split(8) for each in planes)):
                alpha = torch.sigmoid(net(one.to(device))).cpu()
                known = trust > 0.5
                a, b = (alpha > 0.5) & known, (wanted > 0.5) & known
                joint = (a | b).sum((1, 2, 3)).clamp(min=1)
                ious += ((a & b).sum((1, 2, 3)) / joint).tolist()
                distance, band = (alpha - wanted).abs() * known, edge_band(wanted) * known
                distances += distance.mean((1, 2, 3)).tolist()
                band_sums = ((distance * band).sum((1, 2, 3)), band.sum((1, 2, 3)).clamp(min=1))
                at_edges += (band_sums[0] / band_sums[1]).tolist()
            found[f"{kind} mIoU"] = float(np.mean(ious))
            found[f"{kind} MAE"] = float(np.mean(distances))
            found[f"{kind} edge"] = float(np.mean(at_edges))
            found[f"{kind} failures"] = sum(iou < FAILURE_IOU for iou in ious)
        return found


TASKS = {"garment-cutout": CutOutTask, "garment-parse": ParseTask}
