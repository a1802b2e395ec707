"""
Mattes of photos by a network we already have: the teacher's, or our own for the classifier's
cut-outs.
"""

import argparse
import csv
import json
from pathlib import Path

import numpy as np
import onnxruntime
from PIL import Image

from photos import load_square, read_clothes, read_people

CATALOG = Path(__file__).parent.parent / "catalog.json"
# What is written of each photo beside its matte; see `agreement`.
COLUMNS = ("id", "iou", "brightest", "area", "ambiguous")


def open_session(weights: Path):
    """A function from what a network takes to the first of its answers."""
    options = onnxruntime.SessionOptions()
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    session = onnxruntime.InferenceSession(weights, options, providers=["CPUExecutionProvider"])
    into, out = session.get_inputs()[0].name, session.get_outputs()[0].name
    return lambda planes: session.run([out], {into: planes})[0]


def open_network(model_id: str, weights: Path):
    """
    A function from colours, size x size x 3 bytes, to the raw answer; input as the catalogue
    says.
    """
    models = json.loads(CATALOG.read_text())["models"]
    model = next(model for model in models if model["id"] == model_id)
    run = open_session(weights)
    mean, std = (np.float32(model["input"][key]) for key in ("mean", "std"))
    by_brightest = model["input"]["scale"] == "divide-max"

    def answer(colours: np.ndarray) -> np.ndarray:
        scale = max(1, colours.max()) if by_brightest else 255
        planes = ((colours / np.float32(scale) - mean) / std).transpose(2, 0, 1)[None]
        return run(planes)[0, 0]

    return answer, model["input"]["size"], model["output"]["post"]


def finish(raw: np.ndarray, post: str) -> np.ndarray:
    """0..1. Networks that have to be stretched by their extremes are, others are left alone."""
    if post == "min-max":
        raw = (raw - raw.min()) / max(1e-6, raw.max() - raw.min())
    return np.clip(1 / (1 + np.exp(-raw)) if post == "sigmoid" else raw, 0, 1)


def resized(matte: np.ndarray, size: int) -> np.ndarray:
    image = Image.fromarray(np.uint8(matte * 255 + 0.5))
    return np.asarray(image.resize((size, size), Image.Resampling.BICUBIC)) / np.float32(255)


def agreement(first: np.ndarray, second: np.ndarray) -> dict[str, float]:
    """
    How far two looks at one photo say the same, and what they say; a photo is trusted by this.
    """
    a, b = first > 0.5, second > 0.5
    area = float(a.mean())
    ambiguous = float(((first > 0.1) & (first < 0.9)).mean())
    return {
        "iou": float((a & b).sum() / max(1, (a | b).sum())),
        "area": area,
        "ambiguous": ambiguous / max(area, 1e-3),
    }


def looks(answer, file: Path, sizes: list[int], post: str) -> tuple[np.ndarray, dict[str, float]]:
    """
    The matte at the last of the sizes and, in a second channel, how far it is trusted: at each size
    one look, one mirrored; their mean, and how far those of the photo and of its mirror image part.
    """
    raws, mattes = [], ([], [])
    for size in sizes:
        colours = load_square(file, size)
        raw, mirrored = answer(colours), answer(np.ascontiguousarray(colours[:, ::-1]))[:, ::-1]
        for one, found in zip((raw, mirrored), mattes):
            raws.append(one)
            found.append(resized(finish(one, post), sizes[-1]))
    first, second = (np.mean(found, 0) for found in mattes)
    distance = np.abs(first - second)
    pixels = np.stack([0.5 * (first + second), 1 - np.minimum(1.5 * distance, 0.9)], axis=2)
    brightest = float(min(raw.max() for raw in raws))
    return np.uint8(pixels * 255 + 0.5), {"brightest": brightest, **agreement(first, second)}


def photos_of(options) -> list:
    if options.people:
        return read_people(options.people)
    clothes = read_clothes(options.clothes, options.table)
    return [photo for photo in clothes if photo.unseen or options.all]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    shown = parser.add_mutually_exclusive_group(required=True)
    shown.add_argument("--clothes", type=Path, help="folder of <id>.jpg, with --table")
    shown.add_argument("--people", type=Path, help="folder of <id>.jpg")
    parser.add_argument("--table", type=Path, help="clothes.csv")
    parser.add_argument("--model", default="u2netp", help="id in models/catalog.json")
    parser.add_argument("--weights", type=Path, required=True, help="its ONNX file")
    parser.add_argument("--all", action="store_true", help="contributors of evaluation photos too")
    parser.add_argument("--sizes", type=int, nargs="+", help="of its looks, if not the catalogue's")
    parser.add_argument("--limit", type=int, help="photos at most")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    answer, size, post = open_network(options.model, options.weights)
    photos = photos_of(options)[: options.limit]
    with (options.out / "masks.csv").open("w", newline="") as out:
        table = csv.DictWriter(out, COLUMNS)
        table.writeheader()
        for done, photo in enumerate(photos, 1):
            pixels, seen = looks(answer, photo.file, options.sizes or [size], post)
            Image.fromarray(pixels).save(options.out / f"{photo.id}.png")
            table.writerow({"id": photo.id, **{k: round(v, 4) for k, v in seen.items()}})
            if done % 100 == 0:
                print(f"{done} of {len(photos)}", flush=True)


if __name__ == "__main__":
    main()
