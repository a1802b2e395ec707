"""
All that the cut-out network is trained on as one small file, to be carried to a machine that
reaches nothing else. Photos are of people too: a pack is for training alone, never shown, never in
a repository.
"""

import argparse
import csv
import hashlib
import io
import json
import zipfile
from collections.abc import Callable, Iterable
from multiprocessing import Pool
from pathlib import Path

import torch
from PIL import Image, ImageOps

from data import add_sources, held_of, is_kept, photos_of, read_masks
from photos import MATTE_ENDINGS, Person, Photo, StorePhoto, file_of

SOURCES = Path(__file__).parent / "sources.json"
PACK, START = "pack.zip", "start.pt"
# How far a matte is trusted varies slowly: it is kept at so many pixels and enlarged again.
TRUST_SIDE = 80
MATTE_QUALITY, TRUST_QUALITY = 75, 20
MIB = 1 << 20

# A file of the pack: its name, and its bytes.
File = tuple[str, bytes]


def written(image: Image.Image, kind: str, **how) -> bytes:
    file = io.BytesIO()
    image.save(file, kind, **how)
    return file.getvalue()


def exact(image: Image.Image) -> bytes:
    return written(image, "WEBP", lossless=True, method=4, quality=75)


def photo_of(file: Path, options, side: int | None = None) -> File:
    """A photo as small as asked for, its ending before its bytes; no side longer than `side`."""
    with Image.open(file) as image:
        upright = ImageOps.exif_transpose(image).convert("RGB")
    if side:
        size = tuple(min(side, length) for length in upright.size)
        upright = upright.resize(size, Image.Resampling.LANCZOS)
    how = {"avif": {"speed": 6, "subsampling": "4:4:4", "max_threads": 1}, "webp": {"method": 6}}
    kind = options.format
    return f".{kind}", written(upright, kind.upper(), quality=options.quality, **how[kind])


def matte_of(folder: Path, name: str) -> bytes:
    with Image.open(file_of(folder, name, MATTE_ENDINGS)) as image:
        matte, trust = image.split()
    few = trust.resize((TRUST_SIDE, TRUST_SIDE), Image.Resampling.BOX)
    both = Image.merge("LA", (matte, few.resize(matte.size, Image.Resampling.BILINEAR)))
    return written(both, "WEBP", quality=MATTE_QUALITY, alpha_quality=TRUST_QUALITY, method=6)


def plane_of(file: Path, side: int) -> bytes:
    """A matte or mask of a store photo, no side longer than `side`, otherwise as it is."""
    with Image.open(file) as image:
        size = tuple(min(side, length) for length in image.size)
        return exact(image.convert("L").resize(size, Image.Resampling.BOX))


def clothes_files(photo: Photo, options) -> list[File]:
    ending, data = photo_of(photo.file, options)
    matte = matte_of(options.masks, photo.id)
    return [(f"clothes/{photo.id}{ending}", data), (f"masks/{photo.id}.webp", matte)]


def person_files(person: Person, options) -> list[File]:
    ending, data = photo_of(person.file, options)
    with Image.open(person.labels) as labels:
        labelled = written(labels, "PNG", optimize=True)
    files = [(f"people/{person.id}{ending}", data), (f"people/{person.id}.png", labelled)]
    if options.people_masks:
        matte = matte_of(options.people_masks, person.id)
        files.append((f"people-masks/{person.id}.webp", matte))
    return files


def store_files(photo: StorePhoto, options) -> list[File]:
    """In the order of the columns of store.csv: the photo, its matte, what to ignore."""
    ending, data = photo_of(photo.file, options, options.store_size)
    name = f"store/{photo.file.stem}"
    files = [(f"{name}{ending}", data)]
    planes = (("alpha", photo.alpha), ("ignore", photo.ignore))
    return files + [
        (f"{name}_{what}.webp", plane_of(file, options.store_size)) for what, file in planes if file
    ]


def table(columns: tuple[str, ...], rows: Iterable[tuple]) -> bytes:
    text = io.StringIO()
    lines = csv.writer(text, lineterminator="\n")
    lines.writerows([columns, *rows])
    return text.getvalue().encode()


def clothes_tables(photos: list[Photo], masks: dict[str, dict[str, float]]) -> list[File]:
    columns = ("image", "label", "sender_id", "contributor_unseen_in_eval")
    rows = ((p.id, p.label, p.contributor, int(p.unseen)) for p in photos)
    seen = ("id", *next(iter(masks.values())))
    return [
        ("clothes.csv", table(columns, rows)),
        ("masks/masks.csv", table(seen, ((p.id, *masks[p.id].values()) for p in photos))),
    ]


def store_table(photos: list[StorePhoto], files: list[list[File]]) -> File:
    columns = ("file", "alpha", "ignore", "sku", "department", "view")
    names = ([Path(name).name for name, _ in three] for three in files)
    rows = (
        (*three, *[""] * (3 - len(three)), photo.sku, photo.department, photo.view)
        for photo, three in zip(photos, names)
    )
    return "store/store.csv", table(columns, rows)


def judged(manifests: list[Path]) -> set[str]:
    """Names of the photos, as their sources call them, and products, that networks are judged by."""
    names = set()
    for manifest in manifests:
        for item in json.loads(manifest.read_text())["items"]:
            names |= {Path(item["source"]["path"]).stem, item.get("sku")}
    return names


def refuse_judged(names: set[str], store, people, clothes) -> None:
    ours = {p.file.stem for p in (*store, *people, *clothes)} | {p.sku for p in store}
    both = sorted(ours & names)
    both += [photo.id for photo in clothes if not photo.unseen]
    if both:
        raise SystemExit(f"These are judged by and may not be trained on: {', '.join(both[:20])}")


def made(job: tuple[Callable, object, object]) -> list[File]:
    make, photo, options = job
    return make(photo, options)


def all_files(options) -> tuple[dict[str, int], list[File]]:
    """How many photos there are of each source, and every file of the pack."""
    store, people, clothes = photos_of(options)
    held = held_of(options, store, people, clothes)
    masks = read_masks(options.masks) if clothes else {}
    clothes = [photo for photo in clothes if is_kept(masks[photo.id])]
    refuse_judged(judged(options.judged), store, people, clothes)
    jobs = [
        (make, photo, options)
        for make, photos in (
            (store_files, store),
            (person_files, people),
            (clothes_files, clothes),
        )
        for photo in photos
    ]
    with Pool(options.processes) as pool:
        parts = list(pool.imap(made, jobs, chunksize=4))
    files = [file for part in parts for file in part]
    files.append(("held.json", json.dumps(held, indent=1).encode()))
    if store:
        files.append(store_table(store, parts[: len(store)]))
    if clothes:
        files += clothes_tables(clothes, masks)
    return {"store": len(store), "people": len(people), "clothes": len(clothes)}, files


def digest(files: list[File]) -> str:
    """Of names and bytes, in the order of the names."""
    total = hashlib.sha256()
    for name, data in sorted(files):
        total.update(f"{name} {hashlib.sha256(data).hexdigest()}\n".encode())
    return total.hexdigest()


def manifest_of(photos: dict[str, int], files: list[File], options) -> dict[str, object]:
    folders: dict[str, list[File]] = {}
    for name, data in files:
        folders.setdefault(name.rpartition("/")[0] or ".", []).append((name, data))
    return {
        "photos": photos,
        "format": f"{options.format} {options.quality}",
        "folders": {
            folder: {
                "files": len(inside),
                "bytes": sum(len(data) for _, data in inside),
                "sha256": digest(inside),
            }
            for folder, inside in folders.items()
        },
        "sources": json.loads(SOURCES.read_text()),
    }


def save(files: list[File], to: Path) -> None:
    """The same bytes for the same files. Pictures are small already; tables are made so."""
    with zipfile.ZipFile(to, "w") as archive:
        for name, data in sorted(files):
            is_text = name.endswith((".csv", ".json"))
            how = zipfile.ZIP_DEFLATED if is_text else zipfile.ZIP_STORED
            archive.writestr(zipfile.ZipInfo(name), data, how)


def save_start(checkpoint: Path, to: Path) -> None:
    """Weights in half precision, as they ship; scales of channels stay as they are."""
    state = torch.load(checkpoint, map_location="cpu", weights_only=True)
    state = state.get("average", state)
    torch.save({"average": {k: v if k.endswith(".sc") else v.half() for k, v in state.items()}}, to)


def unpack(pack: Path, to: Path) -> None:
    """@throws SystemExit if a folder is not what the manifest says"""
    with zipfile.ZipFile(pack) as archive:
        manifest = json.loads(archive.read("manifest.json"))
        for folder, said in manifest["folders"].items():
            names = [
                name
                for name in archive.namelist()
                if (name.rpartition("/")[0] or ".") == folder and name != "manifest.json"
            ]
            if digest([(name, archive.read(name)) for name in names]) != said["sha256"]:
                raise SystemExit(f"{pack}: {folder} is not what was packed; make it again")
        archive.extractall(to)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    add_sources(parser)
    parser.add_argument("--start", type=Path, help="checkpoint from which training goes on")
    parser.add_argument(
        "--judged", type=Path, nargs="+", required=True, help="manifests of evaluation photos"
    )
    parser.add_argument("--format", choices=("avif", "webp"), default="avif", help="of the photos")
    parser.add_argument("--quality", type=int, default=55, help="of the photos")
    parser.add_argument("--store-size", type=int, default=768, help="longest side, pixels")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--most", type=float, default=44, help="MiB that it all may have")
    parser.add_argument("--out", type=Path, required=True, help="folder that git ignores")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    photos, files = all_files(options)
    manifest = manifest_of(photos, files, options)
    save([*files, ("manifest.json", json.dumps(manifest, indent=1).encode())], options.out / PACK)
    if options.start:
        save_start(options.start, options.out / START)
    for folder, said in manifest["folders"].items():
        print(f"{folder}: {said['files']} files, {said['bytes'] / MIB:.1f} MiB")
    mib = sum(file.stat().st_size for file in options.out.glob("*")) / MIB
    print(f"{options.out}: {mib:.1f} MiB")
    if mib > options.most:
        raise SystemExit(f"More than {options.most:g} MiB: lower --quality")


if __name__ == "__main__":
    main()
