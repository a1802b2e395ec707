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

from class_tail import logits_of
from net import checkpoint_of

BINS = 15
# Their labels are uneven (one photo's jacket is a coat in the next), and would make it too modest.
LEFT_OUT = "street"


def calibration_error(probabilities: Tensor, allowed: Tensor) -> float:
    """How far confidence is from being right, over equal bins."""
    confidence, named = probabilities.max(1)
    right = allowed.gather(1, named[:, None])[:, 0].float()
    bins = (confidence * BINS).long().clamp(max=BINS - 1)
    error = 0.0
    for i in range(BINS):
        inside = bins == i
        if inside.any():
            gap = (confidence[inside].mean() - right[inside].mean()).abs()
            error += float(inside.float().mean() * gap)
    return error


def surprise(logits: Tensor, allowed: Tensor) -> float:
    """Mean of minus the log of what is right."""
    logs = F.log_softmax(logits, 1).masked_fill(~allowed, -1e9)
    return float(-torch.logsumexp(logs, 1).mean())


def best_temperature(logits: Tensor, allowed: Tensor) -> float:
    """Least surprise, to two digits."""
    tried = np.arange(0.40, 3.01, 0.02)
    losses = [surprise(logits / t, allowed) for t in tried]
    return round(float(tried[int(np.argmin(losses))]), 2)


def calibrate(options) -> None:
    held = np.load(options.data / "validation.npz")
    allowed, source = torch.from_numpy(held["allowed"]), held["source"]
    logits = logits_of(checkpoint_of("garment-class", options.checkpoint), held["feature"])
    counted = torch.from_numpy(source != LEFT_OUT)
    temperature = best_temperature(logits[counted], allowed[counted])
    found: dict[str, object] = {"temperature": temperature, "photos": len(source)}
    for name in np.unique(source):
        own = torch.from_numpy(source == name)
        mine, may = logits[own], allowed[own]
        right = may.gather(1, mine.argmax(1, keepdim=True)).float().mean()
        found[str(name)] = {
            "crops": int(own.sum()),
            "top1": round(float(right), 4),
            "top3": round(float(may.gather(1, mine.topk(3)[1]).any(1).float().mean()), 4),
            "ece15": round(calibration_error(torch.softmax(mine / temperature, 1), may), 4),
            "ece15 at 1": round(calibration_error(torch.softmax(mine, 1), may), 4),
        }
    options.out.write_text(json.dumps(found, indent=1) + "\n")
    print(json.dumps(found, indent=1))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkpoint", type=Path)
    parser.add_argument("--data", type=Path, required=True, help="its validation crops are used")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--out", type=Path, required=True, help="calibration.json")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    calibrate(options)


if __name__ == "__main__":
    main()
