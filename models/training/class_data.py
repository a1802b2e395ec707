"""
What the classifier is trained on: crops that `npm run bench -- crops` wrote, with the classes that
labels of their photos allow, seen in fixed and in random views, through the blocks that stay as they
are. Only what comes after those is trained (class_tail.py), so a busy CPU is enough.
"""

import argparse
import csv
import json
import math
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from PIL import Image
from torch import Tensor

from augment import Rng, plain, uniform_log
from camera import as_taken
from classes import OF_CLOTHES, OF_STREET, SUIT_TROUSERS, allowed, of_product
from net import checkpoint_of
from photos import TEST_CONTRIBUTORS, held_out

SIDE, PLANES, SEEN = 256, 5, 224
# The first blocks stay; the last ones and the tail are trained.
FROZEN_BLOCKS = 13
# Around a garment on each side, as at run time, as a share of its box.
MARGIN = 0.06
# Smaller pieces of street photos show nothing, pixels.
LEAST_SIDE, LEAST_LONG_SIDE = 16, 28
# A piece has a label if so much of it has.
LEAST_PURE = 0.6
BODY = {"null", "skin", "hair"}
UPPER = {"top", "outerwear", "dress"}
WHITE = torch.ones(3, 1, 1)


@dataclass
class Example:
    crop: dict
    planes: np.ndarray
    classes: tuple[str, ...]
    # Photos of one are on one side: contributor, product, or photo.
    owner: str
    source: str


def read_crops(folder: Path):
    """Each crop's line and its planes: colours, alpha of the garment, alpha of the subject."""
    planes = np.memmap(folder / "crops.bin", np.uint8, "r").reshape(-1, PLANES * SIDE * SIDE)
    with (folder / "crops.jsonl").open() as lines:
        for line, row in zip(lines, planes):
            yield json.loads(line), row


def clothes_of(folder: Path, table: Path) -> list[Example]:
    with table.open(newline="") as lines:
        rows = {row["image"]: row for row in csv.DictReader(lines)}
    found = []
    for crop, planes in read_crops(folder):
        row = rows[Path(crop["file"]).stem]
        known = row["label"] in OF_CLOTHES and row["sender_id"] not in TEST_CONTRIBUTORS
        if crop["kind"] == "photo" and known and row["contributor_unseen_in_eval"] == "1":
            classes = OF_CLOTHES[row["label"]]
            found.append(Example(crop, planes, classes, row["sender_id"], "clothes"))
    return found


def store_of(folder: Path, table: Path, products: Path) -> list[Example]:
    """The largest zone of a model is what is sold, but for a few photos, which are left out."""
    by_sku = {p["sku"]: p for p in json.loads(products.read_text())["products"]}
    with table.open(newline="") as lines:
        skus = {row["file"]: row["sku"] for row in csv.DictReader(lines)}
    found, seen = [], set()
    for crop, planes in read_crops(folder):
        product = by_sku[skus[Path(crop["file"]).name]]
        kind = "zone" if crop["person"] else "photo"
        if crop["kind"] == kind and crop["file"] not in seen:
            seen.add(crop["file"])
            found.append(Example(crop, planes, of_product(product), product["sku"], "store"))
    return found


def street_of(folder: Path, labels: Path) -> list[Example]:
    """Pieces that are mostly one thing, by the labels of their pixels."""
    names = {int(k): v for k, v in json.loads((labels / "classes.json").read_text()).items()}
    found = []
    for crop, planes in read_crops(folder):
        region = crop["region"]
        sides = region["width"] / 1.4, region["height"] / 1.4
        if crop["kind"] != "piece" or min(sides) < LEAST_SIDE or max(sides) < LEAST_LONG_SIDE:
            continue
        stem = Path(crop["file"]).stem
        with Image.open(labels / f"{stem}.png") as image:
            whole = image.resize((crop["width"], crop["height"]), Image.Resampling.NEAREST)
            left, top = region["left"], region["top"]
            box = (left, top, left + region["width"], top + region["height"])
            label = np.asarray(whole.crop(box).resize((SIDE, SIDE), Image.Resampling.NEAREST))
        inside = planes.reshape(PLANES, -1)[3].reshape(SIDE, SIDE) > 127
        counts = Counter(names[int(number)] for number in label[inside])
        worn = [(name, count) for name, count in counts.most_common() if name not in BODY]
        if not worn or worn[0][1] < LEAST_PURE * inside.sum() or worn[0][0] not in OF_STREET:
            continue
        name = worn[0][0]
        classes = ("pants",) if (name, crop["group"]) == SUIT_TROUSERS else OF_STREET[name]
        found.append(Example(crop, planes, classes, stem, "street"))
    return found


def planes_of(example: Example) -> Tensor:
    """Colours, both alphas and where there is a picture, 1 x 6 x 256 x 256, 0..1."""
    area = SIDE * SIDE
    colours = example.planes[: 3 * area].reshape(SIDE, SIDE, 3).transpose(2, 0, 1)
    alphas = example.planes[3 * area :].reshape(2, SIDE, SIDE)
    there = np.full((1, SIDE, SIDE), 255, np.uint8)
    return torch.from_numpy(np.concatenate([colours, alphas, there])).float()[None] / 255


WHOLE = (-1.0, 1.0, -1.0, 1.0)


def box_of(planes: Tensor) -> tuple[float, float, float, float]:
    """Of the garment, -1..1: left, right, top, bottom."""
    inside, half = planes[0, 3].numpy() > 0.4, SIDE / 2
    xs, ys = np.flatnonzero(inside.any(0)), np.flatnonzero(inside.any(1))
    if len(xs) == 0:
        return WHOLE
    return (xs[0] / half - 1, (xs[-1] + 1) / half - 1, ys[0] / half - 1, (ys[-1] + 1) / half - 1)


def grid_of(rng: Rng | None, box, aspect: float, margin: float) -> Tensor:
    """Where each pixel comes from: the box contained in a square; moved a little by `rng`."""
    left, right, top, bottom = box
    half_x, half_y = ((b - a) / 2 * (1 + 2 * margin) for a, b in ((left, right), (top, bottom)))
    if rng is None or rng.random() >= 0.15:
        half = max(half_x * aspect, half_y)
        half_x, half_y = half / aspect, half
    x, y = (left + right) / 2, (top + bottom) / 2
    if rng is None:
        return torch.tensor([[[half_x, 0, x], [0, half_y, y]]])
    zoom, ratio = uniform_log(rng, 0.85, 1.2), math.exp(rng.uniform(-0.12, 0.12))
    half_x, half_y = half_x * zoom * ratio, half_y * zoom / ratio
    x, y = x + rng.uniform(-0.1, 0.1) * half_x, y + rng.uniform(-0.1, 0.1) * half_y
    angle = math.radians(rng.normal(0, 7)) if rng.random() < 0.6 else 0.0
    mirror, cos, sin = rng.choice((-1, 1)), math.cos(angle), math.sin(angle)
    return torch.tensor(
        [[[half_x * cos * mirror, -half_x * sin, x], [half_y * sin * mirror, half_y * cos, y]]]
    )


def render(planes: Tensor, grid: Tensor, alpha: int | None, ground: Tensor) -> Tensor:
    """@param alpha plane by which it is cut out; none: the photo as it is"""
    where = F.affine_grid(grid.float(), [1, 1, SEEN, SEEN], align_corners=False)
    seen = F.grid_sample(planes, where, "bilinear", "zeros", align_corners=False)[0]
    colours, there = seen[:3], seen[5:6]
    if alpha is None:
        return (colours + (1 - there) * ground).clamp(0, 1)
    cover = seen[alpha : alpha + 1]
    return (colours / there.clamp(min=1e-3) * cover + ground * (1 - cover)).clamp(0, 1)


def random_ground(rng: Rng) -> Tensor:
    drawn = rng.random()
    if drawn < 0.60:
        return WHITE
    if drawn < 0.72:
        return 0.85 + 0.15 * plain(rng, 3, 1, 1)
    if drawn < 0.80:
        return WHITE * float(rng.choice((0.0, 0.5, 0.75)))
    return plain(rng, 3, 1, 1)


GARMENT, SUBJECT = 3, 4


def fixed_view(example: Example) -> Tensor:
    """As at run time: cut out, on white."""
    planes, region = planes_of(example), example.crop["region"]
    aspect = region["width"] / region["height"]
    return render(planes, grid_of(None, box_of(planes), aspect, MARGIN), GARMENT, WHITE)


def random_view(rng: Rng, example: Example) -> Tensor:
    """Cut out; or with what else is worn beside it; or as the photo shows it."""
    planes, region = planes_of(example), example.crop["region"]
    is_worn, drawn = example.crop["kind"] != "photo", rng.random()
    alpha = GARMENT if drawn < (0.5 if is_worn else 0.65) else SUBJECT
    alpha = None if drawn >= (0.85 if is_worn else 0.65) else alpha
    ground = random_ground(rng) if alpha is not None or rng.random() < 0.3 else WHITE
    is_whole = alpha is None and not is_worn and rng.random() < 0.7
    box, margin = (WHOLE, 0.0) if is_whole else (box_of(planes), rng.uniform(0, 0.1))
    grid = grid_of(rng, box, region["width"] / region["height"], margin)
    return as_taken(rng, render(planes, grid, alpha, ground)).float()


# Random views for each source: all of a label together, and at least and at most of one crop.
VIEWS = {"clothes": (900, 2, 10), "store": (320, 8, 20), "street": (250, 1, 6)}


def views_each(examples: list[Example]) -> list[int]:
    counts = Counter((e.source, e.classes) for e in examples)
    given = []
    for e in examples:
        wanted, least, most = VIEWS[e.source]
        given.append(min(most, max(least, round(wanted / counts[e.source, e.classes]))))
    return given


@torch.no_grad()
def features_of(net, pictures: list[Tensor]) -> np.ndarray:
    x = net.enc.stem(torch.stack(pictures) * 2 - 1)
    for block in net.enc.blocks[:FROZEN_BLOCKS]:
        x = block(x)
    return x.numpy().astype(np.float16)


def save(file: Path, net, examples: list[Example], counts: list[int], seed: int) -> None:
    features, masks, of = [], [], []
    for i, (example, count) in enumerate(zip(examples, counts)):
        rng = np.random.default_rng([seed, i])
        pictures = [fixed_view(example), *(random_view(rng, example) for _ in range(count))]
        features.append(features_of(net, pictures))
        masks += [allowed(example.classes)] * len(pictures)
        of += [i] * len(pictures)
    source = [examples[i].source for i in of]
    np.savez(file, feature=np.concatenate(features), allowed=np.stack(masks), crop=of, source=source)
    print(file, Counter(e.source for e in examples), len(of), "views")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clothes", type=Path, help="crops of laid-out garments")
    parser.add_argument("--clothes-table", type=Path, help="clothes.csv")
    parser.add_argument("--store", type=Path, help="crops of a shop's photos")
    parser.add_argument("--store-table", type=Path, help="store.csv")
    parser.add_argument("--products", type=Path, help="store-products.json")
    parser.add_argument("--street", type=Path, help="crops of street photos")
    parser.add_argument("--labels", type=Path, help="folder of their labels, with classes.json")
    parser.add_argument("--start", type=Path, required=True, help="checkpoint; its first blocks stay")
    parser.add_argument("--share", type=float, default=0.12, help="of owners, for validation")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    torch.set_num_threads(1)
    options.out.mkdir(parents=True, exist_ok=True)
    net = checkpoint_of("garment-class", options.start)
    examples: list[Example] = []
    if options.clothes:
        examples += clothes_of(options.clothes, options.clothes_table)
    if options.store:
        examples += store_of(options.store, options.store_table, options.products)
    if options.street:
        examples += street_of(options.street, options.labels)
    held = {
        source: held_out([e.owner for e in examples if e.source == source], options.share, 3)
        for source in VIEWS
    }
    counts = views_each(examples)
    for name, is_held in (("train", False), ("validation", True)):
        chosen = [i for i, e in enumerate(examples) if (e.owner in held[e.source]) == is_held]
        given = [0 if is_held else counts[i] for i in chosen]
        save(options.out / f"{name}.npz", net, [examples[i] for i in chosen], given, options.seed)


if __name__ == "__main__":
    main()
