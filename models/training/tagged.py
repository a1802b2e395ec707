"""
Labels of street photos of which only is known what is worn in them: what our own networks find,
of the groups that the photo's tags allow. `garment-parse` is trained on them beside those of hand.
"""

import argparse
import json
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from PIL import Image
from torch import Tensor

from frames import box_of, colours_at, grid_of, grown, nearest, shape_of
from groups import GROUPS, IDS, UNKNOWN, group_of_label
from masks import open_session
from parse import decided
from parse_data import load_photo

# Nobody tags what everybody has.
ALWAYS = ("background", "skin", "hair")
CUT_OUT_SIZE, PARSE_SIZE = 352, 320
# Less sure than this of a pixel's group, no label; and where the cut-out says otherwise.
LEAST_SURE, INSIDE, OUTSIDE = 0.6, 0.8, 0.2


def allowed_by(tags: list[str]) -> Tensor:
    """1 for each group that one of the tags names, and for what everybody has."""
    groups = group_of_label()
    named = {groups[tag] for tag in tags if tag in groups}
    return torch.tensor([float(i in named or id in ALWAYS) for i, id in enumerate(IDS)])


def labels_of(probabilities: Tensor, allowed: Tensor, alpha: Tensor) -> np.ndarray:
    """
    Groups, h x w bytes.
    @param probabilities groups x h x w
    @param alpha of the subject, h x w
    """
    possible = probabilities * allowed.view(-1, 1, 1)
    possible = possible / possible.sum(0).clamp(min=1e-6)
    found = decided(possible)
    sure = possible.gather(0, found[None])[0] >= LEAST_SURE
    is_backdrop = found == IDS.index("background")
    denied = torch.where(is_backdrop, alpha > INSIDE, alpha < OUTSIDE)
    # Far outside of the subject there is only backdrop.
    found = torch.where(alpha < OUTSIDE / 2, IDS.index("background"), found)
    known = (alpha < OUTSIDE / 2) | (sure & ~denied)
    return torch.where(known, found, UNKNOWN).byte().numpy()


def resized(planes: Tensor, shape: tuple[int, int]) -> Tensor:
    return F.interpolate(planes[None], shape, mode="bilinear", align_corners=False)[0]


def subject_of(cut_out, photo: np.ndarray) -> Tensor:
    """Alpha, h x w, from the photo and its mirror image."""
    small = Image.fromarray(photo).resize((CUT_OUT_SIZE,) * 2, Image.Resampling.BILINEAR)
    planes = np.asarray(small, np.float32).transpose(2, 0, 1)[None] / 255
    both = np.concatenate([planes, planes[..., ::-1]])
    first, second = torch.from_numpy(cut_out(both))[:, 0]
    return resized(((first + second.flip(1)) / 2)[None], photo.shape[:2])[0]


def groups_of(parser, photo: np.ndarray, alpha: Tensor) -> Tensor:
    """Probabilities of groups, groups x h x w; nothing but backdrop beyond the subject's box."""
    size = photo.shape[:2]
    whole = torch.zeros(len(GROUPS), *size)
    whole[IDS.index("background")] = 1
    box = box_of(alpha.numpy() > 0.5)
    if box is None:
        return whole
    sides = box[2:] - box[:2]
    shape = shape_of(nearest(sides[0] / sides[1]), PARSE_SIZE)
    box = grown(box, shape[1] / shape[0], size)
    left, top, right, bottom = (int(round(end)) for end in box)
    x = colours_at(photo, grid_of(np.array([left, top, right, bottom], float), size, shape))[None]
    both = torch.from_numpy(parser(torch.cat([x, x.flip(3)]).numpy()))
    mean = (both[0] + both[1].flip(2)) / 2
    whole[:, top:bottom, left:right] = resized(mean, (bottom - top, right - left))
    return whole


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--photos", type=Path, required=True, help="folder of photos and tags.json")
    parser.add_argument("--cut-out", type=Path, required=True, help="ONNX")
    parser.add_argument("--parser", type=Path, required=True, help="ONNX")
    parser.add_argument("--limit", type=int, help="photos at most")
    parser.add_argument("--out", type=Path, required=True, help="as --labels of parse_data.py")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    names = {str(i): group.labels[0] for i, group in enumerate(GROUPS)}
    (options.out / "classes.json").write_text(json.dumps(names))
    cut_out, parse = open_session(options.cut_out), open_session(options.parser)
    tags = json.loads((options.photos / "tags.json").read_text())
    for done, (name, worn) in enumerate(sorted(tags.items())[: options.limit], 1):
        photo = load_photo(options.photos / f"{Path(name).stem}.jpg")
        alpha = subject_of(cut_out, photo)
        labels = labels_of(groups_of(parse, photo, alpha), allowed_by(worn), alpha)
        Image.fromarray(labels).save(options.out / f"{Path(name).stem}.png")
        if done % 100 == 0:
            print(f"{done} of {len(tags)}", flush=True)


if __name__ == "__main__":
    main()
