"""
Photos and their mattes as arrays, divided into training and validation: what the cut-out network is
trained on.
"""

import argparse
import csv
import json
from collections.abc import Callable, Iterable
from multiprocessing import Pool
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from PIL import Image

from colours import backdrop, pixels_of, planes_of, subject_colours, without_islands
from doubts import settled
from photos import (
    DRAWN,
    MATTE_ENDINGS,
    Person,
    Photo,
    StorePhoto,
    file_of,
    held_out,
    load_labels,
    load_plane,
    load_square,
    read_clothes,
    read_drawn,
    read_people,
    read_store,
)

# Labels of people are cut along superpixels: so near their edges, in pixels, the teacher is
# believed instead. Farther away the label is, and where the teacher says the opposite both count
# for less.
NEAR_AN_EDGE, AROUND_A_QUARREL = 4, 8
DOUBT = 0.6
# One backdrop in so many photos of each source is kept.
BACKDROP_EVERY = 3
# How often a photo is dealt beside others of its source: close-ups and goods, of which there are few,
# and drawings of what is fine or hard to see.
TIMES = {"alt": 5, "Gear": 5}
TIMES |= {f"drawn-{kind}": 2 for kind in ("chain", "figure", "glasses", "mesh", "pale")}


class Cache:
    """Lists of arrays that end in one file."""

    def __init__(self):
        self.lists: dict[str, list] = {}

    def add(self, **arrays) -> None:
        for name, array in arrays.items():
            self.lists.setdefault(name, []).append(array)

    def save(self, file: Path, **more) -> None:
        file.parent.mkdir(parents=True, exist_ok=True)
        np.savez(file, **{name: np.stack(arrays) for name, arrays in self.lists.items()}, **more)
        print(file, {name: len(arrays) for name, arrays in self.lists.items()}, flush=True)


def read_masks(folder: Path) -> dict[str, dict[str, float]]:
    with (folder / "masks.csv").open(newline="") as lines:
        return {
            row.pop("id"): {k: float(v) for k, v in row.items()} for row in csv.DictReader(lines)
        }


def is_kept(seen: dict[str, float]) -> bool:
    """Whether the teacher says twice the same of a photo."""
    return seen["iou"] >= 0.90 and seen["brightest"] >= 0.8 and 0.03 <= seen["area"] <= 0.93


def is_cut_out(seen: dict[str, float]) -> bool:
    """Whether it is sure enough to be laid on other backdrops."""
    return seen["iou"] >= 0.965 and seen["ambiguous"] < 0.16 and seen["area"] < 0.85


def load_matte(folder: Path, name: str, size: int) -> tuple[np.ndarray, np.ndarray]:
    """The matte and how far it is trusted, size x size bytes each."""
    with Image.open(file_of(folder, name, MATTE_ENDINGS)) as image:
        both = image.convert("LA").resize((size, size), Image.Resampling.BICUBIC)
        matte, trust = both.split()
    return np.asarray(matte), np.asarray(trust)


def smooth(matte: np.ndarray, low: float, high: float) -> np.ndarray:
    """Levels with soft ends: what a network leaves grey inside and outside becomes plain."""
    share = np.clip((matte / 255 - low) / (high - low), 0, 1)
    return np.uint8(share * share * (3 - 2 * share) * 255 + 0.5)


Arrays = dict[str, object]


def arrays_of_clothes(photo: Photo, seen, options, with_backdrop: bool) -> Arrays:
    matte, trust = load_matte(options.masks, photo.id, options.size)
    matte, trust = settled(smooth(matte, *options.levels), trust)
    image = load_square(photo.file, options.size)
    made = {"photo": image, "matte": matte, "trust": trust, "is_person": False, "id": photo.id}
    colours, alpha = planes_of(image), planes_of(matte[:, :, None])
    if is_cut_out(seen):
        alone = without_islands(alpha)
        fore = pixels_of(subject_colours(colours, alone))
        made["cutout"] = np.dstack([fore, pixels_of(alone)])
    if with_backdrop:
        made["backdrop"] = pixels_of(backdrop(colours, alpha))
    return made


def spread(mask: np.ndarray, pixels: int) -> np.ndarray:
    """Where there is any of the mask at most so many pixels away, along both axes."""
    plane = torch.from_numpy(mask)[None].float()
    return F.max_pool2d(plane, 2 * pixels + 1, 1, pixels)[0].numpy() > 0


def second_opinion(label: np.ndarray, matte: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """
    What of a human's label and the teacher's matte to believe, and how far; bytes, h x w each.
    """
    inside = label > 127
    near = spread(inside, NEAR_AN_EDGE) & spread(~inside, NEAR_AN_EDGE)
    quarrel = spread(((matte > 127) != inside) & ~near, AROUND_A_QUARREL)
    target = np.where(near & ~quarrel, matte, label)
    return target, np.uint8(np.where(quarrel, 255 * (1 - DOUBT), 255))


def arrays_of_person(person: Person, is_taught: bool, options, with_backdrop: bool) -> Arrays:
    image = load_square(person.file, options.size)
    inside = load_labels(person.labels, options.size, options.subject)
    everyone = load_labels(person.labels, options.size, "person")
    matte, trust = inside, np.full_like(inside, 255)
    if is_taught:
        teacher, _ = load_matte(options.people_masks, person.id, options.size)
        both = second_opinion(inside, smooth(teacher, *options.people_levels))
        matte, trust = settled(*both)
    made = {"photo": image, "matte": matte, "trust": trust, "is_person": True, "id": person.id}
    if with_backdrop:
        around = backdrop(planes_of(image), planes_of(everyone[:, :, None]))
        made["backdrop"] = pixels_of(around)
    return made


def arrays_of_store(photo: StorePhoto, options) -> Arrays:
    """The subject in its own colours with its exact matte, to be laid on other grounds."""
    size = options.store_size
    alpha = load_plane(photo.alpha, size)
    colours = subject_colours(
        planes_of(load_square(photo.file, size)), planes_of(alpha[:, :, None])
    )
    known = np.full_like(alpha, 255)
    if photo.ignore:
        known[spread(load_plane(photo.ignore, size) > 0, 2)] = 0
    times = max(TIMES.get(photo.view, 1), TIMES.get(photo.department.split(" > ")[0], 1))
    planes = np.dstack([pixels_of(colours), alpha])
    is_drawn = photo.department == DRAWN
    return {"store": planes, "store_known": known, "store_times": times, "is_drawn": is_drawn}


def photos_of(options) -> tuple[list[StorePhoto], list[Person], list[Photo]]:
    """What there is of each source; of clothes, what has a matte."""
    store = read_store(options.store) if options.store else []
    store += read_drawn(options.drawn) if options.drawn else []
    people = read_people(options.people)[: options.limit] if options.people else []
    if not options.masks:
        return store, people, []
    masks = read_masks(options.masks)
    clothes = [p for p in read_clothes(options.clothes, options.table) if p.id in masks]
    return store, people, clothes


Held = dict[str, list[str]]


def held_of(options, store, people, clothes) -> Held:
    """Who is for validation only: as a file says, or drawn."""
    if options.held:
        return json.loads(options.held.read_text())
    share, seed = options.share, options.seed
    # Goods that were drawn by themselves: with them, other products than before would be held out.
    products = [
        held_out(skus, options.store_share, seed, most=1)
        for skus in (
            [p.sku for p in store if p.department != DRAWN],
            [p.sku for p in store if p.department == DRAWN],
        )
    ]
    drawn = {
        "products": [sku for some in products for sku in some],
        "people": held_out([person.id for person in people], share, seed),
        "contributors": held_out([p.contributor for p in clothes], share, seed),
    }
    return {source: sorted(names) for source, names in drawn.items()}


# What makes the arrays of one photo, and with what.
Job = tuple[Callable[..., Arrays], tuple]


def jobs_of(options) -> Iterable[tuple[str, Job]]:
    """Each photo's, with the side it is on, in the order of the arrays."""
    store, people, clothes = photos_of(options)
    named = held_of(options, store, people, clothes)
    held = {source: set(names) for source, names in named.items()}
    if store:
        print("products held out:", *sorted(held["products"]), flush=True)
    side_of = lambda is_held: "validation" if is_held else "train"
    for photo in store:
        yield side_of(photo.sku in held["products"]), (arrays_of_store, (photo, options))
    counts = {"train": 0, "validation": 0}

    def has_backdrop(side: str) -> bool:
        counts[side] += 1
        return counts[side] % BACKDROP_EVERY == 0

    for person in people:
        side = side_of(person.id in held["people"])
        # Validation is by human labels alone.
        is_taught = bool(side == "train" and options.people_masks)
        yield side, (arrays_of_person, (person, is_taught, options, has_backdrop(side)))
    masks = read_masks(options.masks) if clothes else {}
    for photo in clothes:
        seen = masks[photo.id]
        if is_kept(seen):
            side = side_of(photo.contributor in held["contributors"])
            yield side, (arrays_of_clothes, (photo, seen, options, has_backdrop(side)))


def done(job: Job) -> Arrays:
    make, arguments = job
    return make(*arguments)


def cut_out_data(options) -> None:
    caches = {"train": Cache(), "validation": Cache()}
    sides, jobs = zip(*jobs_of(options))
    with Pool(options.processes) as pool:
        for side, made in zip(sides, pool.imap(done, jobs, chunksize=2)):
            caches[side].add(**made)
    for side, cache in caches.items():
        cache.save(options.out / f"{side}.npz", subject=options.subject, seed=options.seed)


def add_sources(parser: argparse.ArgumentParser) -> None:
    """Where photos are, and who of them is for validation."""
    parser.add_argument("--clothes", type=Path, help="folder of <id>.jpg")
    parser.add_argument("--table", type=Path, help="clothes.csv")
    parser.add_argument("--masks", type=Path, help="what masks.py wrote")
    parser.add_argument("--people", type=Path, help="folder of <id>.jpg with <id>.png of labels")
    parser.add_argument("--people-masks", type=Path, help="what masks.py wrote of them")
    parser.add_argument("--store", type=Path, help="folder of store.csv, photos and their mattes")
    parser.add_argument("--drawn", type=Path, help="folder that bench packshots wrote")
    parser.add_argument("--held", type=Path, help="JSON: who is for validation, as in a pack")
    parser.add_argument("--store-share", type=float, default=0.1, help="of them, for validation")
    parser.add_argument("--share", type=float, default=0.06, help="of the photos, for validation")
    parser.add_argument("--limit", type=int, help="photos of people, at most")
    parser.add_argument("--seed", type=int, default=3)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--for", dest="net", choices=("garment-cutout",), default="garment-cutout")
    add_sources(parser)
    parser.add_argument("--subject", choices=("person", "garment"), default="person")
    parser.add_argument("--store-size", type=int, default=768, help="side of their arrays, pixels")
    parser.add_argument("--size", type=int, default=480, help="side of the arrays, pixels")
    parser.add_argument(
        "--levels", type=float, nargs=2, default=(0.25, 0.75), metavar=("LOW", "HIGH")
    )
    parser.add_argument(
        "--people-levels",
        type=float,
        nargs=2,
        # U2NETP draws people a little too wide.
        default=(0.32, 0.82),
        metavar=("LOW", "HIGH"),
        help="of the teacher's mattes of people",
    )
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    # Small pictures one after the other: more threads wait for each other.
    torch.set_num_threads(1)
    cut_out_data(options)


if __name__ == "__main__":
    main()
