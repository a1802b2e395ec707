"""Photos, what is known of them, and how they are divided. Knows no network."""

import csv
import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image, ImageOps

# Of the published test photos of clothing-dataset-small: never trained on, so that figures compare.
TEST_CONTRIBUTORS = frozenset({"46", "204", "227", "309", "310"})


# What files are called: as they come, or smaller, from a pack.
PHOTO_ENDINGS = (".jpg", ".avif", ".webp")
MATTE_ENDINGS = (".png", ".webp")


def file_of(folder: Path, name: str, endings: tuple[str, ...]) -> Path:
    """The one that is there; the first where none is."""
    files = [folder / f"{name}{ending}" for ending in endings]
    return next((file for file in files if file.exists()), files[0])


@dataclass(frozen=True)
class Photo:
    id: str
    file: Path
    # As in the list; empty where unknown.
    label: str
    contributor: str
    # No photo of this contributor is among those the models are judged by.
    unseen: bool


def read_clothes(folder: Path, table: Path) -> list[Photo]:
    """The photos of the table whose files are there."""
    with table.open(newline="") as lines:
        rows = [
            Photo(
                id=row["image"],
                file=file_of(folder, row["image"], PHOTO_ENDINGS),
                label=row["label"],
                contributor=row["sender_id"],
                unseen=row["contributor_unseen_in_eval"] == "1",
            )
            for row in csv.DictReader(lines)
        ]
    return [photo for photo in rows if photo.file.exists()]


@dataclass(frozen=True)
class Person:
    id: str
    file: Path
    # One byte a pixel: 0 backdrop, 1 garment or accessory, 2 skin, 3 hair.
    labels: Path


def read_people(folder: Path) -> list[Person]:
    files = sorted(f for ending in PHOTO_ENDINGS for f in folder.glob(f"*{ending}"))
    return [Person(file.stem, file, file.with_suffix(".png")) for file in files]


@dataclass(frozen=True)
class StorePhoto:
    file: Path
    alpha: Path
    # White where the matte is not to be learnt from.
    ignore: Path | None
    # Colours of one product are one shot, recoloured.
    sku: str
    department: str
    view: str


def read_store(folder: Path) -> list[StorePhoto]:
    """The photos of store.csv that have a matte."""
    with (folder / "store.csv").open(newline="") as lines:
        return [
            StorePhoto(
                file=folder / row["file"],
                alpha=folder / row["alpha"],
                ignore=folder / row["ignore"] if row["ignore"] else None,
                sku=row["sku"],
                department=row["department"],
                view=row["view"],
            )
            for row in csv.DictReader(lines)
            if row["alpha"]
        ]


# In the place of a department.
DRAWN = "Drawn"


def read_drawn(folder: Path) -> list[StorePhoto]:
    """Drawn goods with exact mattes, of a folder that `npm run bench -- packshots` wrote."""
    items = json.loads((folder / "manifest.json").read_text())["items"]
    return [
        StorePhoto(
            file=folder / item["image"],
            alpha=folder / item["mask"],
            ignore=None,
            sku=Path(item["image"]).stem,
            department=DRAWN,
            view=item["kind"],
        )
        for item in items
    ]


def held_out(names: list[str], share: float, seed: int, most: float = 0.1) -> frozenset[str]:
    """
    Which contributors (or photos, where nobody knows who took them; or products) are for validation
    only: whole ones, at random, until they have their share of `names`, which has one entry for
    each photo. Those with more than `most` of that share stay in training, or one would be the
    validation.
    """
    counts: dict[str, int] = {}
    for name in names:
        counts[name] = counts.get(name, 0) + 1
    wanted = share * len(names)
    taken: list[str] = []
    photos = 0
    for name in np.random.default_rng(seed).permutation(sorted(counts)).tolist():
        if photos >= wanted:
            break
        if counts[name] <= max(1, wanted * most):
            taken.append(name)
            photos += counts[name]
    return frozenset(taken)


def load_square(file: Path, size: int) -> np.ndarray:
    """Colours as a network sees them: size x size x 3 bytes, turned upright, stretched."""
    with Image.open(file) as image:
        upright = ImageOps.exif_transpose(image).convert("RGB")
        return np.asarray(upright.resize((size, size), Image.Resampling.LANCZOS))


def load_plane(file: Path, size: int) -> np.ndarray:
    """A matte or a mask as it is, size x size bytes, stretched."""
    with Image.open(file) as image:
        return np.asarray(image.convert("L").resize((size, size), Image.Resampling.BOX))


def load_labels(file: Path, size: int, subject: str) -> np.ndarray:
    """The subject of a labelled photo, size x size bytes: `person` is all that is no backdrop."""
    with Image.open(file) as image:
        labels = np.asarray(image)
    inside = labels == 1 if subject == "garment" else labels > 0
    mask = Image.fromarray(inside.astype(np.uint8) * 255)
    shrinks = labels.shape[0] > size
    how = Image.Resampling.BOX if shrinks else Image.Resampling.BILINEAR
    return np.asarray(mask.resize((size, size), how))
