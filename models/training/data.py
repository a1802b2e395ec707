"""
Photos and their mattes as arrays, divided into training and validation. Run it once for each
network.
"""

import argparse
import csv
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from PIL import Image

from colours import backdrop, pixels_of, planes_of, subject_colours, without_islands
from photos import (
    CLASS_NAMES,
    CLASSES,
    TEST_CONTRIBUTORS,
    Photo,
    StorePhoto,
    aspect_of,
    held_out,
    load_labels,
    load_plane,
    load_square,
    read_clothes,
    read_people,
    read_store,
)

CLASSIFIER_SIDE = 256
# Labels of people are cut along superpixels: so near their edges, in pixels, the teacher is
# believed instead. Farther away the label is, and where the teacher says the opposite both count
# for less.
NEAR_AN_EDGE, AROUND_A_QUARREL = 4, 8
DOUBT = 0.6
# One backdrop in so many photos of each source is kept.
BACKDROP_EVERY = 3
# How often a store photo is dealt beside one of a whole person: there are few of the others.
TIMES = {"alt": 5, "Gear": 5}


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


def load_matte(file: Path, size: int) -> tuple[np.ndarray, np.ndarray]:
    """The matte and how far it is trusted, size x size bytes each."""
    with Image.open(file) as image:
        matte, trust = image.resize((size, size), Image.Resampling.BICUBIC).split()
    return np.asarray(matte), np.asarray(trust)


def smooth(matte: np.ndarray, low: float, high: float) -> np.ndarray:
    """Levels with soft ends: what a network leaves grey inside and outside becomes plain."""
    share = np.clip((matte / 255 - low) / (high - low), 0, 1)
    return np.uint8(share * share * (3 - 2 * share) * 255 + 0.5)


def add_clothes(caches, photo: Photo, seen, options) -> None:
    matte, trust = load_matte(options.masks / f"{photo.id}.png", options.size)
    matte = smooth(matte, *options.levels)
    image = load_square(photo.file, options.size)
    caches.add(photo=image, matte=matte, trust=trust, is_person=False, id=photo.id)
    colours, alpha = planes_of(image), planes_of(matte[:, :, None])
    if is_cut_out(seen):
        alone = without_islands(alpha)
        fore = pixels_of(subject_colours(colours, alone))
        caches.add(cutout=np.dstack([fore, pixels_of(alone)]))
    if len(caches.lists["id"]) % BACKDROP_EVERY == 0:
        caches.add(backdrop=pixels_of(backdrop(colours, alpha)))


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


def add_person(cache: Cache, person, options, is_taught: bool) -> None:
    image = load_square(person.file, options.size)
    inside = load_labels(person.labels, options.size, options.subject)
    everyone = load_labels(person.labels, options.size, "person")
    matte, trust = inside, np.full_like(inside, 255)
    if is_taught:
        teacher, _ = load_matte(options.people_masks / f"{person.id}.png", options.size)
        matte, trust = second_opinion(inside, smooth(teacher, *options.people_levels))
    cache.add(photo=image, matte=matte, trust=trust, is_person=True, id=person.id)
    if len(cache.lists["id"]) % BACKDROP_EVERY == 0:
        cache.add(backdrop=pixels_of(backdrop(planes_of(image), planes_of(everyone[:, :, None]))))


def add_store(cache: Cache, photo: StorePhoto, options) -> None:
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
    cache.add(store=np.dstack([pixels_of(colours), alpha]), store_known=known, store_times=times)


def cut_out_data(options) -> None:
    caches = {"train": Cache(), "validation": Cache()}
    store = read_store(options.store) if options.store else []
    validation = held_out([p.sku for p in store], options.store_share, options.seed, most=1)
    if store:
        print("products held out:", *sorted(validation), flush=True)
    for photo in store:
        add_store(caches["validation" if photo.sku in validation else "train"], photo, options)
    people = read_people(options.people)[: options.limit] if options.people else []
    validation = held_out([person.id for person in people], options.share, options.seed)
    for person in people:
        side = "validation" if person.id in validation else "train"
        # Validation is by human labels alone.
        add_person(caches[side], person, options, side == "train" and options.people_masks)
    if options.masks:
        masks = read_masks(options.masks)
        photos = [p for p in read_clothes(options.clothes, options.table) if p.id in masks]
        validation = held_out([p.contributor for p in photos], options.share, options.seed)
        for photo in photos:
            if is_kept(masks[photo.id]):
                side = "validation" if photo.contributor in validation else "train"
                add_clothes(caches[side], photo, masks[photo.id], options)
    for side, cache in caches.items():
        cache.save(options.out / f"{side}.npz", subject=options.subject, seed=options.seed)


def class_data(options) -> None:
    """Every photo with a class, stretched, with the matte by which it can be shown cut out."""
    masks = read_masks(options.masks)
    photos = [
        photo
        for photo in read_clothes(options.clothes, options.table)
        if photo.id in masks
        and photo.label in CLASSES
        and photo.contributor
        and photo.contributor not in TEST_CONTRIBUTORS
    ][: options.limit]
    validation = held_out([photo.contributor for photo in photos], options.share, options.seed)
    caches = {"train": Cache(), "validation": Cache()}
    for photo in photos:
        matte, _ = load_matte(options.masks / f"{photo.id}.png", CLASSIFIER_SIDE)
        caches["validation" if photo.contributor in validation else "train"].add(
            photo=load_square(photo.file, CLASSIFIER_SIDE),
            matte=matte,
            aspect=np.float32(aspect_of(photo.file)),
            label=CLASS_NAMES.index(CLASSES[photo.label]),
            id=photo.id,
        )
    for side, cache in caches.items():
        cache.save(options.out / f"{side}.npz", seed=options.seed)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--for", dest="net", choices=("garment-cutout", "garment-class"), required=True
    )
    parser.add_argument("--clothes", type=Path, help="folder of <id>.jpg")
    parser.add_argument("--table", type=Path, help="clothes.csv")
    parser.add_argument("--masks", type=Path, help="what masks.py wrote")
    parser.add_argument("--people", type=Path, help="folder of <id>.jpg with <id>.png of labels")
    parser.add_argument("--people-masks", type=Path, help="what masks.py wrote of them")
    parser.add_argument("--subject", choices=("person", "garment"), default="person")
    parser.add_argument("--store", type=Path, help="folder of store.csv, photos and their mattes")
    parser.add_argument("--store-share", type=float, default=0.1, help="of them, for validation")
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
    parser.add_argument("--share", type=float, default=0.06, help="of the photos, for validation")
    parser.add_argument("--limit", type=int, help="photos of people, or of classes, at most")
    parser.add_argument("--seed", type=int, default=3)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    # Small pictures one after the other: more threads wait for each other.
    torch.set_num_threads(1)
    (cut_out_data if options.net == "garment-cutout" else class_data)(options)


if __name__ == "__main__":
    main()
