"""
Trains one network. Ctrl-C loses at most the steps since the last checkpoint; the same command
goes on from there.
"""

import argparse
import copy
import json
import math
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader

from net import NETS, Trunk, shape_as, settle
from start import start_from
from tasks import TASKS
from workers import Batches

AVERAGE = 0.997
LEAST_RATE = 0.015


def rate_at(step: int, steps: int, warm_up: int) -> float:
    """Of the learning rate: up in a line, down along half a cosine."""
    down = 0.5 * (1 + math.cos(math.pi * step / steps))
    return min(1, (step + 1) / warm_up) * (LEAST_RATE + (1 - LEAST_RATE) * down)


def size_at(step: int, steps: int, sizes: list[int]) -> int:
    """Small pictures first; the last size has the last half."""
    share = step / steps
    return sizes[-1] if share >= 0.5 else sizes[int(share * 2 * (len(sizes) - 1))]


def optimiser_of(
    net: nn.Module, rates: dict[str, float], scale: float, encoder: float
) -> torch.optim.Optimizer:
    """@param encoder its rate is multiplied by this too"""
    rates = {**rates, "enc": rates["enc"] * encoder}
    parts = {"enc": [], "rest": []}
    for name, weights in net.named_parameters():
        if not weights.requires_grad:
            continue
        parts["enc" if name.startswith("enc.") else "rest"].append(weights)
    groups = [
        {"params": parts[part], "lr": rate * scale, "base": rate * scale}
        for part, rate in rates.items()
    ]
    return torch.optim.AdamW(groups, betas=(0.9, 0.98), weight_decay=1e-4)


def freeze(net: nn.Module, blocks: int) -> None:
    """The first blocks of the encoder stay as they are: large planes, and colours and edges only."""
    if blocks > 0:
        for part in (net.enc.stem, *net.enc.blocks[:blocks]):
            part.requires_grad_(False)


def mirrored(parts: list[torch.Tensor]) -> list[torch.Tensor]:
    """Pictures and planes left for right."""
    return [part.flip(3) if part.ndim == 4 else part for part in parts]


class Run:
    """All that a checkpoint has to bring back."""

    def __init__(self, options):
        torch.manual_seed(options.seed)
        self.options = options
        self.task = TASKS[options.net](options.data, options.seed, options.batch)
        if options.mix:
            self.task.mix(options.mix, options.batch)
        self.net = NETS[options.net]()
        self.step, self.history = 0, []
        self.file = options.out / "last.pt"
        if self.file.exists():
            shape_as(self.net, self.kept()["net"])
        else:
            self.begin()
        freeze(self.net, options.frozen)
        # Twice as quick on a CPU.
        self.net.to(options.device, memory_format=torch.channels_last)
        self.average = copy.deepcopy(self.net).eval()
        self.optimiser = optimiser_of(
            self.net, self.task.LEARNING_RATE, options.rate, options.encoder_rate
        )
        if self.file.exists():
            self.resume()

    def begin(self) -> None:
        options = self.options
        fresh = (
            start_from(self.net, options.start) if options.start else list(self.net.state_dict())
        )
        print(f"fresh weights: {fresh or 'none'}", flush=True)
        # Only what knows nothing yet: a decoder trained before would be unsettled.
        if isinstance(self.net, Trunk):
            few = self.task.batch(np.random.default_rng(options.seed), 0, 192)[0]
            settle(self.net, few, fresh)

    def kept(self) -> dict:
        # Not to the device: there, the optimiser would wait for its count of steps at each of them.
        return torch.load(self.file, map_location="cpu", weights_only=True)

    def resume(self) -> None:
        kept = self.kept()
        self.net.load_state_dict(kept["net"])
        self.average.load_state_dict(kept["average"])
        groups = self.optimiser.state_dict()["param_groups"]
        self.optimiser.load_state_dict({"state": kept["optimiser"], "param_groups": groups})
        self.step = kept["step"]
        told = json.loads((self.options.out / "history.json").read_text())
        self.history = [row for row in told if row["step"] <= self.step]
        print(f"goes on after step {self.step}", flush=True)

    def save(self) -> None:
        # Arrays and whole numbers: what every torch reads back without running code of the file.
        kept = {
            "net": self.net.state_dict(),
            "average": self.average.state_dict(),
            "optimiser": self.optimiser.state_dict()["state"],
            "step": self.step,
            "seed": self.options.seed,
        }
        (self.options.out / "history.json").write_text(json.dumps(self.history, indent=1))
        part = self.file.with_suffix(".part")
        torch.save(kept, part)
        part.replace(self.file)

    def save_average(self) -> None:
        """What was validated, beside the checkpoint, which the next one takes the place of."""
        torch.save({"average": self.average.state_dict()}, self.options.out / f"{self.step:06}.pt")

    def batches(self, last: int) -> DataLoader:
        """
        Of each step until the last: its random numbers, which depend on the seed and its number
        alone, so a resumed run goes on as it would have; and its batch.
        """
        options = self.options
        size_of = lambda step: size_at(step, options.steps, options.sizes)
        return DataLoader(
            Batches(self.task, options.seed, size_of, in_bytes=options.workers > 0),
            batch_size=None,
            sampler=range(self.step, last),
            num_workers=options.workers,
            collate_fn=lambda batch: batch,
            pin_memory=options.device != "cpu",
            multiprocessing_context="fork" if options.workers else None,
        )

    def learn(self, rng: np.random.Generator, parts: list[torch.Tensor]) -> float:
        """One step, with what `batches` has for it. @returns the loss before it"""
        options = self.options
        torch.manual_seed(options.seed * 1_000_003 + self.step)
        for group in self.optimiser.param_groups:
            group["lr"] = group["base"] * rate_at(self.step, options.steps, self.task.WARM_UP)
        batch = Batches.on(options.device, parts)
        self.net.train()
        losses = [self.update(rng, mirrored(batch) if i % 2 else batch) for i in range(options.echoes)]
        self.step += 1
        return float(losses[0])

    def update(self, rng: np.random.Generator, parts: list[torch.Tensor]) -> torch.Tensor:
        options, (x, *wanted) = self.options, parts
        batch = (x.contiguous(memory_format=torch.channels_last), *wanted)
        with torch.autocast(options.device, torch.bfloat16, enabled=options.precision == "bf16"):
            loss = self.task.loss(self.net, rng, batch)
        self.optimiser.zero_grad(set_to_none=True)
        loss.backward()
        norm = nn.utils.clip_grad_norm_(self.net.parameters(), self.task.CLIP)
        if not torch.isfinite(norm):
            raise SystemExit(f"Step {self.step}: the gradient is no number; lower --rate")
        self.optimiser.step()
        self.follow()
        return loss.detach()

    @torch.no_grad()
    def follow(self) -> None:
        """The average of the weights so far, which is what is validated and exported."""
        share = 1 - min(AVERAGE, (self.step + 1) / (self.step + 30))
        for mean, weights in zip(self.average.parameters(), self.net.parameters()):
            mean.lerp_(weights, share)


def recipe_of(options, task) -> dict[str, object]:
    """What the card says of a run: no paths, which mean nothing elsewhere."""
    said = {k: v for k, v in vars(options).items() if not isinstance(v, Path) and v is not None}
    for passing in ("device", "log", "save", "seconds", "stop_after", "threads", "validate"):
        said.pop(passing, None)
    return {**said, "trained_on": task.counted()}


def train(options) -> None:
    options.out.mkdir(parents=True, exist_ok=True)
    run = Run(options)
    recipe = recipe_of(options, run.task)
    (options.out / "recipe.json").write_text(json.dumps(recipe, indent=1) + "\n")
    losses, begun = [], time.monotonic()
    last = min(options.steps, options.stop_after or options.steps)
    for batch in run.batches(last):
        losses.append(run.learn(*batch))
        is_over = run.step == last or time.monotonic() - begun > options.seconds
        if run.step % options.log == 0:
            seconds = (time.monotonic() - begun) / len(losses)
            recent = np.mean(losses[-options.log :])
            print(f"step {run.step} loss {recent:.4f} {seconds:.2f} s/step", flush=True)
        if run.step % options.validate == 0 or is_over:
            found = {
                k: round(v, 4) for k, v in run.task.validate(run.average, options.device).items()
            }
            recent = round(float(np.mean(losses[-options.validate :])), 4)
            run.history.append({"step": run.step, "loss": recent, **found})
            print(run.history[-1], flush=True)
            run.save_average()
        if run.step % options.save == 0 or run.step % options.validate == 0 or is_over:
            run.save()
        if is_over:
            break


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--net", choices=TASKS, required=True)
    parser.add_argument("--data", type=Path, required=True, help="folder data.py wrote")
    parser.add_argument("--start", type=Path, help="checkpoint, or torchvision's mobilenet_v2 file")
    parser.add_argument("--steps", type=int, required=True)
    parser.add_argument("--stop-after", type=int, help="step; the same command without it goes on")
    parser.add_argument("--seconds", type=float, default=math.inf, help="the same, by the clock")
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--sizes", type=int, nargs="+", default=[224, 288, 320], help="of pictures")
    parser.add_argument("--rate", type=float, default=1.0, help="of the learning rate as tuned")
    parser.add_argument(
        "--encoder-rate", type=float, default=1.0, help="of the encoder's learning rate as tuned"
    )
    parser.add_argument(
        "--mix",
        type=int,
        nargs="+",
        help="shares of a batch: of composites, clothes, people and scenes, or of people and clothes",
    )
    parser.add_argument(
        "--echoes",
        type=int,
        default=1,
        help="updates by each batch, every other mirrored: where a GPU waits for batches",
    )
    parser.add_argument("--frozen", type=int, default=0, help="first blocks that are not trained")
    parser.add_argument("--precision", choices=("fp32", "bf16"), default="fp32")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument(
        "--workers",
        type=int,
        default=0,
        help="processes that make batches ahead; colours and mattes are bytes then, however many",
    )
    parser.add_argument("--threads", type=int, help="on a CPU others use too, 1 is often quickest")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--log", type=int, default=20, help="steps between lines")
    parser.add_argument("--save", type=int, default=100, help="steps between checkpoints")
    parser.add_argument("--validate", type=int, default=200, help="steps between validations")
    parser.add_argument(
        "--out", type=Path, required=True, help="of last.pt, history.json and recipe.json"
    )
    options = parser.parse_args()
    if options.threads:
        torch.set_num_threads(options.threads)
    # Sizes seldom change, so the quickest way of each convolution is worth looking for.
    torch.backends.cudnn.benchmark = True
    train(options)


if __name__ == "__main__":
    main()
