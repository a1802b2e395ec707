"""
The temperature by which the classifier's logits are divided, so that of its 0.8s eight in ten
are right.
"""

import argparse
import json
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from net import checkpoint_of
from tasks import ClassTask

BINS = 15


def calibration_error(probabilities: Tensor, labels: Tensor) -> float:
    """How far confidence is from being right, over equal bins."""
    confidence, named = probabilities.max(1)
    right = (named == labels).float()
    bins = (confidence * BINS).long().clamp(max=BINS - 1)
    error = 0.0
    for i in range(BINS):
        inside = bins == i
        if inside.any():
            gap = (confidence[inside].mean() - right[inside].mean()).abs()
            error += float(inside.float().mean() * gap)
    return error


def best_temperature(logits: Tensor, labels: Tensor) -> float:
    """Least cross entropy, to two digits."""
    tried = np.arange(0.40, 3.01, 0.02)
    losses = [float(F.cross_entropy(logits / t, labels)) for t in tried]
    return round(float(tried[int(np.argmin(losses))]), 2)


def calibrate(options) -> None:
    task = ClassTask(options.data, seed=0, batch=1)
    net = checkpoint_of("garment-class", options.checkpoint)
    labels = torch.from_numpy(task.held["label"])
    views = {v: task.logits(net, v, "cpu") for v in ("contained", "stretched", "cut-out")}
    temperature = best_temperature(torch.cat(list(views.values())), labels.repeat(len(views)))
    found: dict[str, object] = {"temperature": temperature, "photos": len(labels)}
    for view, logits in views.items():
        probabilities = torch.softmax(logits / temperature, 1)
        found[view] = {
            "top1": round(float((logits.argmax(1) == labels).float().mean()), 4),
            "top3": round(float((logits.topk(3)[1] == labels[:, None]).any(1).float().mean()), 4),
            "ece15": round(calibration_error(probabilities, labels), 4),
            "ece15 at 1": round(calibration_error(torch.softmax(logits, 1), labels), 4),
        }
    options.out.write_text(json.dumps(found, indent=1) + "\n")
    print(json.dumps(found, indent=1))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkpoint", type=Path)
    parser.add_argument("--data", type=Path, required=True, help="its validation photos are used")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--out", type=Path, required=True, help="calibration.json")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    calibrate(options)


if __name__ == "__main__":
    main()
