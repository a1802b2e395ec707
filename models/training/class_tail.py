"""
Trains the classifier's last blocks on the features that class_data.py wrote. Ctrl-C loses at most the
steps since the last checkpoint; the same command goes on from there.
"""

import argparse
import copy
import json
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from class_data import FROZEN_BLOCKS
from classes import CLASS_NAMES, NEAREST_OF_TEN, TEN
from loss import class_loss
from net import Classifier, checkpoint_of
from train import rate_at

# Of the blocks and the tail, and of the head.
RATES = {"enc": 3e-4, "head": 2e-3}
AVERAGE, CLIP, DROPOUT, WARM_UP = 0.995, 3.0, 0.2, 60
MIXED, MIX_BETA = 0.3, 0.3
# So much more often they are dealt: there are fewer of them than of street photos.
WEIGHTS = {"clothes": 1.6, "store": 1.5, "street": 1.0}


@torch.no_grad()
def begin(start: Path) -> Classifier:
    """The network of a checkpoint; where that knows ten classes, new ones begin as the nearest."""
    old = checkpoint_of("garment-class", start)
    net = Classifier()
    net.enc.load_state_dict(old.enc.state_dict())
    if len(old.fc.bias) == len(CLASS_NAMES):
        net.fc.load_state_dict(old.fc.state_dict())
        return net
    for k, name in enumerate(CLASS_NAMES):
        if name in TEN:
            of = TEN.index(name)
            net.fc.weight[k], net.fc.bias[k] = old.fc.weight[of], old.fc.bias[of]
        elif name in NEAREST_OF_TEN:
            of = TEN.index(NEAREST_OF_TEN[name])
            net.fc.weight[k], net.fc.bias[k] = old.fc.weight[of] / 2, old.fc.bias[of] - 1
    return net


def after(net: Classifier, features: Tensor, dropout: float = 0.0) -> Tensor:
    """Logits, from what the frozen blocks answered."""
    x = features.contiguous(memory_format=torch.channels_last)
    for block in net.enc.blocks[FROZEN_BLOCKS:]:
        x = block(x)
    x = net.enc.tail(x).float().mean((2, 3))
    return net.fc(F.dropout(x, dropout, net.training)).float()


@torch.no_grad()
def logits_of(net: Classifier, features: np.ndarray) -> Tensor:
    net.eval()
    parts = [features[i : i + 128] for i in range(0, len(features), 128)]
    return torch.cat([after(net, torch.from_numpy(part).float()) for part in parts])


def validate(net: Classifier, held) -> dict[str, float]:
    """Of each source, how many are named as the label allows."""
    named = logits_of(net, held["feature"]).argmax(1).numpy()
    right = held["allowed"][np.arange(len(named)), named]
    return {s: round(float(right[held["source"] == s].mean()), 4) for s in np.unique(held["source"])}


def optimiser_of(net: Classifier, rate: float) -> torch.optim.Optimizer:
    for part in (net.enc.stem, *net.enc.blocks[:FROZEN_BLOCKS]):
        part.requires_grad_(False)
    encoder = [p for p in net.enc.parameters() if p.requires_grad]
    groups = [
        {"params": encoder, "base": RATES["enc"] * rate},
        {"params": net.fc.parameters(), "base": RATES["head"] * rate, "weight_decay": 1e-2},
    ]
    return torch.optim.AdamW(groups, lr=1e-4, betas=(0.9, 0.98), weight_decay=1e-4)


def train(options) -> None:
    options.out.mkdir(parents=True, exist_ok=True)
    data, held = (
        {**np.load(options.data / name)} for name in ("train.npz", "validation.npz")
    )
    net = begin(options.start).to(memory_format=torch.channels_last)
    average, file = copy.deepcopy(net).eval(), options.out / "last.pt"
    optimiser, step, history = optimiser_of(net, options.rate), 0, []
    if file.exists():
        kept = torch.load(file, map_location="cpu", weights_only=True)
        net.load_state_dict(kept["net"])
        average.load_state_dict(kept["average"])
        groups = optimiser.state_dict()["param_groups"]
        optimiser.load_state_dict({"state": kept["optimiser"], "param_groups": groups})
        step = kept["step"]
        history = json.loads((options.out / "history.json").read_text())
    chances = np.array([WEIGHTS[str(source)] for source in data["source"]])
    chances /= chances.sum()
    while step < options.steps:
        rng = np.random.default_rng([options.seed, step])
        torch.manual_seed(options.seed * 1_000_003 + step)
        for group in optimiser.param_groups:
            group["lr"] = group["base"] * rate_at(step, options.steps, WARM_UP)
        chosen = rng.choice(len(chances), options.batch, p=chances)
        x = torch.from_numpy(data["feature"][chosen]).float()
        allowed = torch.from_numpy(data["allowed"][chosen])
        share = 1.0
        if rng.random() < MIXED:
            share = rng.beta(MIX_BETA, MIX_BETA)
            share = max(share, 1 - share)
            x = x * share + x.flip(0) * (1 - share)
        net.train()
        with torch.autocast("cpu", torch.bfloat16, enabled=options.precision == "bf16"):
            logits = after(net, x, DROPOUT)
        mixed = allowed.flip(0) if share < 1 else None
        loss = class_loss(logits, allowed, mixed, share)
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), CLIP)
        optimiser.step()
        step += 1
        with torch.no_grad():
            towards = 1 - min(AVERAGE, step / (step + 30))
            for mean, weights in zip(average.parameters(), net.parameters()):
                mean.lerp_(weights, towards)
        if step % options.validate == 0 or step == options.steps:
            history.append({"step": step, "loss": round(float(loss), 4), **validate(average, held)})
            print(history[-1], flush=True)
            (options.out / "history.json").write_text(json.dumps(history, indent=1))
            kept = {"net": net.state_dict(), "average": average.state_dict(), "step": step}
            kept |= {"optimiser": optimiser.state_dict()["state"]}
            torch.save(kept, file)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder class_data.py wrote")
    parser.add_argument("--start", type=Path, required=True, help="the checkpoint it was made with")
    parser.add_argument("--steps", type=int, default=700)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--rate", type=float, default=1.0, help="of the learning rate as tuned")
    parser.add_argument("--precision", choices=("fp32", "bf16"), default="bf16")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--validate", type=int, default=100, help="steps between validations")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    train(options)


if __name__ == "__main__":
    main()
