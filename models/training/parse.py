"""What `garment-parse` is trained on: its batches, its loss, its validation."""

from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from augment import Rng, contact_shadow, drawn_ground, ground
from camera import as_taken
from deck import Deck
from frames import (
    ASPECTS,
    box_of,
    colours_at,
    grid_of,
    grown,
    jittered,
    labels_at,
    nearest,
    part_of,
    shape_of,
)
from groups import GROUPS, IDS, PARTS, TOKENS, UNKNOWN, WORN

# How often each shape of ASPECTS is drawn, and how often people in it are shown in part.
SHAPE_SHARES = (0.55, 0.2, 0.13, 0.09, 0.03)
PART_SHARES = (0.2, 0.45, 0.85, 1.0, 1.0)
# How often people stand on other grounds.
OTHER_GROUNDS = 0.3
# Photos with one of these are dealt twice: there are few.
RARE = ("vest", "leggings_tights", "shorts", "boots", "socks", "hat", "scarf_tie")
# Groups count by their pixels to this power.
BALANCE = -0.3
SMOOTHING = 0.04
VALIDATION_SIZE = 320
# How much of what is wrong counts: at 1/8, of parts, the two shares, and which groups there are.
AUXILIARY, BY_PART, PART_OVERLAP, WORN_OVERLAP, WHICH = 0.3, 0.5, 0.7, 0.7, 1.0
# Of a picture: what has less of it is not counted as there.
LEAST_AREA = 0.002


def members(sets) -> Tensor:
    """1 where a group belongs to a set, sets x groups."""
    rows = torch.zeros(len(sets), len(IDS))
    for row, ids in zip(rows, sets):
        row[[IDS.index(id) for id in ids]] = 1
    return rows


TOKEN_GROUPS = members(TOKENS)
PART_GROUPS = members([[g.id for g in GROUPS if (g.part or g.id) == part] for part in PARTS])
# Tokens all of whose groups are of one part; of the others no part is known.
TOKEN_PARTS = ((PART_GROUPS @ TOKEN_GROUPS.T) == TOKEN_GROUPS.sum(1)).float().T
TOKEN_WORN = (TOKEN_GROUPS[:, list(WORN)].sum(1) > 0).float()


class Photos:
    """Photos of any size with their labels, kept in two rows of bytes."""

    def __init__(self, file: Path):
        with np.load(file) as arrays:
            self.photo, self.label = arrays["photo"], arrays["label"]
            self.size, self.is_person = arrays["size"], arrays["is_person"]
        self.start = np.concatenate([[0], np.cumsum(self.size.prod(1))])
        self.boxes = [box_of(self.inside(i)) for i in range(len(self.size))]

    def __len__(self) -> int:
        return len(self.size)

    def labels(self, i: int) -> np.ndarray:
        return self.label[self.start[i] : self.start[i + 1]].reshape(self.size[i])

    def colours(self, i: int) -> np.ndarray:
        return self.photo[3 * self.start[i] : 3 * self.start[i + 1]].reshape(*self.size[i], 3)

    def inside(self, i: int) -> np.ndarray:
        labels = self.labels(i)
        return (labels != 0) & (labels != UNKNOWN)

    def has(self, i: int, ids: tuple[str, ...]) -> bool:
        counts = np.bincount(self.labels(i).ravel(), minlength=256)
        return any(counts[IDS.index(id)] > 0 for id in ids)


def fractions(labels: Tensor) -> Tensor:
    """How much of each cell of 2 x 2 labels each token has; tokens x h/2 x w/2."""
    known = F.one_hot(labels.clamp(max=len(TOKENS)), len(TOKENS) + 1)[..., :-1]
    return F.avg_pool2d(known.permute(2, 0, 1).float()[None], 2)[0]


def on_other_ground(rng: Rng, x: Tensor, outside: Tensor, others: np.ndarray | None) -> Tensor:
    """
    @param x colours, 3 x h x w
    @param outside 1 where the backdrop is, 1 x h x w
    """
    height, width = x.shape[1:]
    # A pixel off the edge, which is a mixture, and soft.
    alpha = F.avg_pool2d(-F.max_pool2d(outside[None], 3, 1, 1) + 1, 3, 1, 1)[0]
    mean = (x * alpha).sum((1, 2)) / (alpha.sum() + 1e-3)
    kind = drawn_ground(rng)
    side = max(height, width)
    if kind == "photo" and others is not None:
        left = rng.integers(0, max(1, others.shape[1] - 32))
        strip = np.ascontiguousarray(others[:, left : left + 32])
        under = F.interpolate(
            torch.from_numpy(strip).permute(2, 0, 1)[None].float() / 255,
            (height, width),
            mode="bilinear",
        )[0]
    else:
        under = ground(rng, kind, mean.view(3, 1, 1), None, side).expand(3, side, side)
        under = under[:, :height, :width]
    if rng.random() < 0.4:
        padded = F.pad(alpha, (0, side - width, 0, side - height))
        shadow = contact_shadow(rng, padded[None])[0][:, :height, :width]
        under = under * (1 - shadow * rng.uniform(0.08, 0.4))
    return x * alpha + under.clamp(0, 1) * (1 - alpha)


class ParseTask:
    # Of sixteen: photos of people and of laid-out garments.
    MIX = (13, 3)
    LEARNING_RATE = {"enc": 8e-4, "rest": 3e-3}
    CLIP, WARM_UP = 3.0, 80

    def __init__(self, data: Path, seed: int, batch: int):
        self.photos, self.held = (Photos(data / f"{side}.npz") for side in ("train", "validation"))
        framed = [i for i in range(len(self.photos)) if self.photos.boxes[i] is not None]
        people = [i for i in framed if self.photos.is_person[i]]
        laid = [i for i in framed if not self.photos.is_person[i]]
        rare = [i for i in people if self.photos.has(i, RARE)]
        self.pools = (people + rare, laid)
        self.decks = [Deck(pool, seed + i) for i, pool in enumerate(self.pools)]
        self.weights = self.balance(people)
        self.mix(self.MIX, batch)

    def balance(self, people: list[int]) -> Tensor:
        """Of each token: the fewer pixels its groups have, the more it counts; about 1."""
        counts = sum(np.bincount(self.photos.labels(i).ravel(), minlength=256) for i in people)
        counts = torch.from_numpy(counts[: len(IDS)]).float().clamp(min=1)
        weights = (counts / counts.sum()) ** BALANCE
        weights = weights / (weights * counts).sum() * counts.sum()
        return (TOKEN_GROUPS @ weights / TOKEN_GROUPS.sum(1)).clamp(max=6).view(1, -1, 1, 1)

    def mix(self, shares: tuple[int, ...], batch: int) -> None:
        parts = [part if pool else 0 for part, pool in zip(shares, self.pools)]
        self.counts = [round(batch * part / sum(parts)) for part in parts]

    def counted(self) -> dict[str, int]:
        return dict(zip(("people", "clothes"), (len(set(pool)) for pool in self.pools)))

    def batch(self, rng: Rng, step: int, size: int) -> tuple[Tensor, ...]:
        kind = int(rng.choice(len(ASPECTS), p=SHAPE_SHARES))
        numbers = [
            number
            for deck, count in zip(self.decks, self.counts)
            for number in deck.deal(step * count, count)
        ]
        made = [self.picture(rng, number, kind, size) for number in numbers]
        return tuple(torch.stack(planes) for planes in zip(*made))

    def picture(self, rng: Rng, number: int, kind: int, size: int) -> tuple[Tensor, Tensor]:
        """Colours, and tokens at 1/4 of their size."""
        photos, aspect = self.photos, ASPECTS[kind]
        height, width = shape_of(aspect, size)
        labels = photos.labels(number)
        if photos.is_person[number] and rng.random() < PART_SHARES[kind]:
            box = part_of(rng, photos.boxes[number], width / height, labels.shape)
        else:
            box = jittered(
                rng, grown(photos.boxes[number], width / height, labels.shape), labels.shape
            )
        degrees = rng.normal(0, 6) if rng.random() < 0.5 else 0.0
        mirror = -1 if rng.random() < 0.5 else 1
        grids = (
            grid_of(box, labels.shape, shape, degrees, mirror)
            for shape in ((height, width), (height // 2, width // 2))
        )
        x = colours_at(photos.colours(number), next(grids))
        known = labels_at(labels, next(grids), UNKNOWN)
        if photos.is_person[number] and rng.random() < OTHER_GROUNDS:
            outside = F.interpolate((known == 0).float()[None, None], (height, width))[0]
            other = photos.colours(int(rng.choice(self.pools[0])))
            x = on_other_ground(rng, x, outside, other)
        return as_taken(rng, x), fractions(known)

    def loss(self, net: nn.Module, rng: Rng, batch: tuple[Tensor, ...]) -> Tensor:
        x, tokens = batch
        logits, coarse, worn = net.levels(x)
        total = self.named(logits, tokens) + shares(torch.softmax(logits, 1), tokens)
        total = total + WHICH * which_loss(worn, tokens)
        return total + AUXILIARY * self.named(coarse, F.avg_pool2d(tokens, 2))

    def named(self, logits: Tensor, tokens: Tensor) -> Tensor:
        """
        Cross entropy of tokens, in which a set of groups is as good as any of them, and of
        parts.
        """
        probabilities = torch.softmax(logits, 1)
        smooth = probabilities * (1 - SMOOTHING) + SMOOTHING / len(IDS)
        said = summed(smooth, TOKEN_GROUPS).clamp(min=1e-6).log()
        weighted = tokens * self.weights.to(tokens.device)
        total = -(weighted * said).sum() / (weighted.sum() + 1)
        parts = summed(tokens, TOKEN_PARTS.T)
        part_said = summed(smooth, PART_GROUPS).clamp(min=1e-6).log()
        return total - BY_PART * (parts * part_said).sum() / (parts.sum() + 1)

    @torch.no_grad()
    def validate(self, net: nn.Module, device: str) -> dict[str, float]:
        return {**people_figures(net, self.held, device), **laid_figures(net, self.held, device)}


def which_loss(logits: Tensor, tokens: Tensor) -> Tensor:
    """Of which groups there are in a picture; where only a set of them is known, nothing is said."""
    areas = tokens.mean((2, 3))
    own, is_set = areas[:, : len(IDS)], areas[:, len(IDS) :] @ TOKEN_GROUPS[len(IDS) :].to(areas)
    loss = F.binary_cross_entropy_with_logits(
        logits[:, :, 0, 0], (own > LEAST_AREA).float(), reduction="none"
    )
    return (loss * (is_set == 0)).mean()


def summed(planes: Tensor, sets: Tensor) -> Tensor:
    """Sums over sets of planes."""
    return F.conv2d(planes, sets.to(planes)[:, :, None, None])


def shares(probabilities: Tensor, tokens: Tensor) -> Tensor:
    """
    1 - soft intersection by union: of each part over the whole batch, where there is any of it,
    and of all that is worn in each picture.
    """
    parts = summed(tokens, TOKEN_PARTS.T)
    known = parts.sum(1, keepdim=True)
    said = summed(probabilities, PART_GROUPS) * known
    overlap = overlap_of(said, parts, (0, 2, 3))
    present = (parts.sum((0, 2, 3)) > 8).float()
    by_part = ((1 - overlap) * present).sum() / present.sum().clamp(min=1)
    known = tokens.sum(1, keepdim=True)
    worn = (tokens * TOKEN_WORN.to(tokens).view(1, -1, 1, 1)).sum(1, keepdim=True)
    said = probabilities[:, list(WORN)].sum(1, keepdim=True) * known
    return PART_OVERLAP * by_part + WORN_OVERLAP * (1 - overlap_of(said, worn, (1, 2, 3))).mean()


def overlap_of(said: Tensor, wanted: Tensor, axes: tuple[int, ...]) -> Tensor:
    shared = (said * wanted).sum(axes)
    return (shared + 1) / ((said + wanted - said * wanted).sum(axes) + 1)


def seen(net: nn.Module, held: Photos, i: int, device: str) -> tuple[Tensor, Tensor]:
    """Probabilities of groups in the subject's box, and its labels; at the same size."""
    labels = held.labels(i)
    sides = held.boxes[i][2:] - held.boxes[i][:2]
    shape = shape_of(nearest(sides[0] / sides[1]), VALIDATION_SIZE)
    box = grown(held.boxes[i], shape[1] / shape[0], labels.shape)
    grid = grid_of(box, labels.shape, shape)
    logits = net(colours_at(held.colours(i), grid)[None].to(device)).cpu()
    full = F.interpolate(logits, shape, mode="bilinear", align_corners=False)
    return torch.softmax(full, 1)[0], labels_at(labels, grid, UNKNOWN)


def decided(probabilities: Tensor) -> Tensor:
    """Groups: the best of the best part."""
    parts = torch.einsum("rg,ghw->rhw", PART_GROUPS, probabilities).argmax(0)
    allowed = PART_GROUPS[parts].permute(2, 0, 1)
    return (probabilities * allowed).argmax(0)


def people_figures(net: nn.Module, held: Photos, device: str) -> dict[str, float]:
    """Of all that is worn, mean over photos; of parts and groups over all pixels."""
    counts = np.zeros((len(IDS), len(IDS)), np.int64)
    worn, is_worn = [], np.isin(np.arange(len(IDS)), WORN)
    for i in np.flatnonzero(held.is_person):
        probabilities, wanted = seen(net, held, i, device)
        found, wanted = decided(probabilities).numpy(), wanted.numpy()
        counts += np.bincount(
            wanted.ravel() * len(IDS) + found.ravel(), minlength=len(IDS) ** 2
        ).reshape(len(IDS), len(IDS))
        a, b = is_worn[found], is_worn[wanted]
        worn.append((a & b).sum() / max(1, (a | b).sum()))
    by_part = PART_GROUPS.numpy() @ counts @ PART_GROUPS.numpy().T
    figures = {"garments mIoU": float(np.mean(worn)), "garments worst": float(np.min(worn))}
    for name, table in zip(PARTS, ious_of(by_part)):
        figures[name] = table
    figures["groups mIoU"] = float(np.mean(ious_of(counts)))
    return figures


def ious_of(counts: np.ndarray) -> np.ndarray:
    right = np.diag(counts)
    return right / np.maximum(1, counts.sum(0) + counts.sum(1) - right)


def laid_figures(net: nn.Module, held: Photos, device: str) -> dict[str, float]:
    """Of the pixels of laid-out garments: how many are called worn, and of the right group."""
    worn, right = [], []
    for i in np.flatnonzero(~held.is_person):
        if held.boxes[i] is None:
            continue
        probabilities, wanted = seen(net, held, i, device)
        found = decided(probabilities)
        inside = (wanted != 0) & (wanted != UNKNOWN)
        worn.append(float(torch.isin(found, torch.tensor(WORN))[inside].float().mean()))
        right.append(float(TOKEN_GROUPS[wanted[inside], found[inside]].mean()))
    return {"laid worn": float(np.mean(worn)), "laid right": float(np.mean(right))}
