"""
Photos of people and of laid-out garments with a label for every pixel, as arrays, divided into
training and validation: what `garment-parse` is trained on.
"""

import argparse
import json
from pathlib import Path

import numpy as np
from PIL import Image, ImageOps

from data import is_kept, read_masks
from groups import ANY, IDS, LAID_OUT, UNKNOWN, group_of_label, token_of
from photos import MATTE_ENDINGS, PHOTO_ENDINGS, Person, Photo, file_of, held_out, read_clothes

# Alpha of the teacher above which a pixel is garment, below which it is backdrop; trust at least.
INSIDE, OUTSIDE, TRUSTED = 160, 95, 160


class Cache:
    """Photos of any size, one after the other in one row of bytes."""

    def __init__(self):
        self.photos: list[np.ndarray] = []
        self.labels: list[np.ndarray] = []
        self.ids: list[str] = []
        self.is_person: list[bool] = []

    def add(self, id: str, photo: np.ndarray, labels: np.ndarray, is_person: bool) -> None:
        assert photo.shape[:2] == labels.shape
        self.ids.append(id)
        self.photos.append(photo)
        self.labels.append(labels)
        self.is_person.append(is_person)

    def save(self, file: Path, **more) -> None:
        file.parent.mkdir(parents=True, exist_ok=True)
        np.savez(
            file,
            id=self.ids,
            is_person=self.is_person,
            size=[labels.shape for labels in self.labels],
            photo=np.concatenate([photo.ravel() for photo in self.photos]),
            label=np.concatenate([labels.ravel() for labels in self.labels]),
            **more,
        )
        print(file, {True: sum(self.is_person), False: len(self.ids) - sum(self.is_person)})


def load_photo(file: Path) -> np.ndarray:
    with Image.open(file) as image:
        return np.asarray(ImageOps.exif_transpose(image).convert("RGB"))


def table_of(classes: Path) -> np.ndarray:
    """By the number of a label of the street photos: its group."""
    groups, table = group_of_label(), np.full(256, UNKNOWN, np.uint8)
    for number, name in json.loads(classes.read_text()).items():
        table[int(number)] = groups[name]
    return table


def add_person(cache: Cache, person: Person, table: np.ndarray) -> None:
    with Image.open(person.labels) as image:
        labels = table[np.asarray(image)]
    cache.add(person.id, load_photo(person.file), labels, True)


def laid_out_labels(photo: Photo, size: tuple[int, int], masks: Path) -> np.ndarray:
    """One garment, of what its photo's label allows; where the teacher is unsure, no label."""
    with Image.open(file_of(masks, photo.id, MATTE_ENDINGS)) as image:
        matte, trust = (
            np.asarray(plane) for plane in image.resize(size, Image.Resampling.BICUBIC).split()
        )
    labels = np.full(matte.shape, UNKNOWN, np.uint8)
    labels[(matte < OUTSIDE) & (trust >= TRUSTED)] = IDS.index("background")
    token = token_of(LAID_OUT.get(photo.label, ANY))
    labels[(matte > INSIDE) & (trust >= TRUSTED)] = token
    return labels


def read_labelled(photos: Path, labels: Path) -> list[Person]:
    files = (
        file_of(photos, file.stem, PHOTO_ENDINGS) for file in sorted(labels.glob("*.png"))
    )
    return [Person(file.stem, file, labels / f"{file.stem}.png") for file in files]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--people", type=Path, required=True, help="folder of <id>.jpg")
    parser.add_argument(
        "--labels", type=Path, required=True, help="folder of <id>.png and classes.json"
    )
    parser.add_argument(
        "--more", type=Path, nargs=2, metavar=("PHOTOS", "LABELS"), help="to train on (tagged.py)"
    )
    parser.add_argument("--clothes", type=Path, help="folder of <id>.jpg")
    parser.add_argument("--table", type=Path, help="clothes.csv")
    parser.add_argument("--masks", type=Path, help="what masks.py wrote of them")
    parser.add_argument("--share", type=float, default=0.06, help="of the photos, for validation")
    parser.add_argument("--seed", type=int, default=3)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    caches = {"train": Cache(), "validation": Cache()}
    people, table = (
        read_labelled(options.people, options.labels),
        table_of(options.labels / "classes.json"),
    )
    # As data.py divides them, so that a network that goes on from the cut-out's has not seen these.
    validation = held_out([person.id for person in people], options.share, options.seed)
    for person in people:
        add_person(caches["validation" if person.id in validation else "train"], person, table)
    if options.more:
        photos, labels = options.more
        table = table_of(labels / "classes.json")
        for person in read_labelled(photos, labels):
            add_person(caches["train"], person, table)
    if options.masks:
        masks = read_masks(options.masks)
        photos = [p for p in read_clothes(options.clothes, options.table) if p.id in masks]
        validation = held_out([p.contributor for p in photos], options.share, options.seed)
        for photo in photos:
            if is_kept(masks[photo.id]):
                side = "validation" if photo.contributor in validation else "train"
                colours = load_photo(photo.file)
                size = (colours.shape[1], colours.shape[0])
                labels = laid_out_labels(photo, size, options.masks)
                caches[side].add(photo.id, colours, labels, False)
    for side, cache in caches.items():
        cache.save(options.out / f"{side}.npz", seed=options.seed)


if __name__ == "__main__":
    main()
