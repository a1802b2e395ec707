"""
Studio photos with exact mattes, to judge a network by: trusted cut-outs of store photos on grey,
beige, pastel, dark and graded grounds, with light, soft shadows, noise and JPEG. Photos on white
flatter whatever takes white for backdrop; these do not.
"""

import argparse
import csv
import hashlib
import json
import shutil
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from PIL import Image
from torch import Tensor

from augment import Rng, noise
from colours import pixels_of, planes_of, subject_colours
from grounds import floor_shadow, graded, tint, vignette, wall_shadow

# Beside the ground's name: which hue it has; a graded one is lit unevenly.
GROUNDS = {
    "grey": "grey",
    "beige": "beige",
    "pastel": "pastel",
    "dark": "dark",
    "graded": "off-white",
}
ENDINGS = {"image": ".jpg", "mask": "_alpha.png", "ignore": "_ignore.png"}
KINDS = ("model", "closeup", "product")


@dataclass(frozen=True)
class CutOut:
    name: str
    # One of `KINDS`.
    kind: str
    sku: str
    image: Path
    mask: Path
    ignore: Path | None
    # What the manifest says of where it comes from.
    source: object


def kind_of(department: str, view: str) -> str:
    if department.startswith("Gear"):
        return "product"
    return "closeup" if view == "alt" else "model"


def of_table(folder: Path) -> list[CutOut]:
    """Of a folder with store.csv: the photos whose mattes are trusted."""
    with (folder / "store.csv").open(newline="") as lines:
        return [
            CutOut(
                name=Path(row["file"]).stem,
                kind=kind_of(row["department"], row["view"]),
                sku=row["sku"],
                image=folder / row["file"],
                mask=folder / row["alpha"],
                ignore=folder / row["ignore"] if row["ignore"] else None,
                source={"file": row["file"], "licence": row["licence"]},
            )
            for row in csv.DictReader(lines)
            if row["alpha"] and row["trusted"] == "1"
        ]


def of_manifest(file: Path) -> list[CutOut]:
    """Of a manifest of store photos before white."""
    return [
        CutOut(
            name=Path(item["image"]).stem,
            kind=item["kind"].removeprefix("store-"),
            sku=item["sku"],
            image=file.parent / item["image"],
            mask=file.parent / item["mask"],
            ignore=file.parent / item["ignore"] if "ignore" in item else None,
            source=item["source"],
        )
        for item in json.loads(file.read_text())["items"]
        if item["kind"].startswith("store-")
    ]


def plane_of(file: Path) -> Tensor:
    with Image.open(file) as image:
        return planes_of(np.asarray(image.convert("L"))[:, :, None])


def colours_of(file: Path) -> Tensor:
    with Image.open(file) as image:
        return planes_of(np.asarray(image.convert("RGB")))


def ground_of(rng: Rng, name: str, height: int, width: int) -> Tensor:
    """3 x h x w."""
    depth = (0.25, 0.5) if name == "graded" else (0, 0.08)
    field = graded(rng, height, width, rng.uniform(*depth))
    field = field * vignette(rng, height, width, rng.uniform(0, 0.25))
    return (tint(rng, GROUNDS[name]) * field).clamp(0, 1)


def picture_of(rng: Rng, name: str, photo: Tensor, alpha: Tensor, unknown: Tensor):
    """
    A cut-out on a ground, and the quality it is to be stored with.
    @param unknown 1 x h x w, 1 where alpha is not known: there the photo darkens the ground, as its
      own floor did
    """
    colours = subject_colours(photo, alpha)
    under = ground_of(rng, name, *alpha.shape[1:])
    if rng.random() < 0.5:
        under = under * (1 - wall_shadow(rng, alpha) * rng.uniform(0.04, 0.25))
    under = under * (1 - floor_shadow(rng, alpha) * rng.uniform(0.1, 0.4))
    picture = colours * alpha + under * (1 - alpha)
    picture = torch.where(unknown > 0, photo * under, picture)
    picture = picture + noise(rng, *picture.shape) * rng.uniform(0, 0.012)
    return picture.clamp(0, 1), int(rng.integers(70, 96))


def sha256_of(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def write(cutout: CutOut, name: str, rng: Rng, out: Path) -> dict[str, object]:
    """One picture with its matte, and what the manifest says of it."""
    alpha = plane_of(cutout.mask)
    unknown = plane_of(cutout.ignore) if cutout.ignore else torch.zeros_like(alpha)
    picture, quality = picture_of(rng, name, colours_of(cutout.image), alpha, unknown)
    files = {key: out / f"{cutout.name}-{name}{end}" for key, end in ENDINGS.items()}
    Image.fromarray(pixels_of(picture)).save(files["image"], quality=quality, subsampling=0)
    Image.fromarray(pixels_of(alpha)[:, :, 0]).save(files["mask"])
    if cutout.ignore:
        shutil.copyfile(cutout.ignore, files["ignore"])
    said: dict[str, object] = {"kind": f"studio-{cutout.kind}"}
    for key, file in files.items():
        if file.exists():
            said |= {key: file.name, f"{key}_sha256": sha256_of(file)}
    return {
        **said,
        "background": name,
        "sku": cutout.sku,
        "gt": "exact alpha by construction; pixels white in the ignore picture count neither way",
        "source": cutout.source,
    }


def chosen(cutouts: list[CutOut], limit: int | None, rng: Rng) -> list[CutOut]:
    """At most so many of each kind; one of every product before one comes again."""
    taken = []
    for kind in KINDS:
        turns: dict[str, int] = {}
        ordered = []
        for i in rng.permutation(len(cutouts)):
            if cutouts[i].kind == kind:
                turns[cutouts[i].sku] = turns.get(cutouts[i].sku, 0) + 1
                ordered.append((turns[cutouts[i].sku], cutouts[i]))
        ordered.sort(key=lambda one: one[0])
        taken += [cutout for _, cutout in ordered[:limit]]
    return taken


def make(options) -> None:
    cutouts = of_table(options.store) if options.store else of_manifest(options.manifest)
    if options.only:
        cutouts = [cutout for cutout in cutouts if cutout.sku in options.only]
    cutouts = chosen(cutouts, options.limit, np.random.default_rng(options.seed))
    options.out.mkdir(parents=True, exist_ok=True)
    items = []
    for number, cutout in enumerate(cutouts):
        name = list(GROUNDS)[number % len(GROUNDS)]
        rng = np.random.default_rng([options.seed, number])
        items.append(write(cutout, name, rng, options.out))
    note = "studio photos made of store cut-outs; mask = alpha of the whole subject"
    manifest = {"made": options.made, "note": note, "seed": options.seed, "items": items}
    file = options.out / "manifest.json"
    file.write_text(json.dumps(manifest, indent=1) + "\n")
    print(f"{file}: {len(items)} photos")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--store", type=Path, help="folder of store.csv, photos and their mattes")
    source.add_argument("--manifest", type=Path, help="manifest of photos before white")
    parser.add_argument(
        "--only", nargs="+", metavar="SKU", help="products; those data.py held out of training"
    )
    parser.add_argument("--limit", type=int, help="photos of each kind at most")
    parser.add_argument("--made", default="", help="date, YYYY-MM-DD, for the manifest")
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument(
        "--out", type=Path, required=True, help="folder of photos and manifest.json"
    )
    options = parser.parse_args()
    torch.set_num_threads(1)
    make(options)


if __name__ == "__main__":
    main()
