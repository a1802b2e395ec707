"""
The cut-out network with less to do: convolutions that were added to its decoder go through fewer
channels, the principal components of what they answer. Nothing is trained. See Zhang et al.,
Accelerating very deep convolutional networks for classification and detection, TPAMI 2016.
"""

import argparse
import copy
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from net import Conv, CutOut, checkpoint_of, narrow, put
from tasks import VALIDATION_SIZE, CutOutTask

# Channels between, of 48; a multiple of sixteen is what every processor likes.
BETWEEN = {"r2.0.added": 16, "r2.1.added": 16}


@torch.no_grad()
def answers(net: CutOut, conv: Conv, x: Tensor) -> Tensor:
    """What one convolution says of some pictures before its activation: places x channels."""
    said: list[Tensor] = []
    hook = conv.register_forward_pre_hook(lambda m, args: said.append(m.linear(args[0])))
    net(x)
    hook.remove()
    return said[0].movedim(1, -1).flatten(0, -2).double()


@torch.no_grad()
def through(between: int, conv: Conv, said: Tensor) -> nn.Sequential:
    """The convolution through the principal components of what it said."""
    mean = said.mean(0)
    spread = (said - mean).T @ (said - mean)
    deviations, directions = torch.linalg.eigh(spread)
    print(f"kept of the variance: {float(deviations[-between:].sum() / deviations.sum()):.3f}")
    main, mean = directions[:, -between:].float(), mean.float()
    pair = narrow(conv, between)
    pair[0].set(torch.einsum("ob,oikl->bikl", main, conv.v * conv.sc), main.T @ (conv.b - mean))
    pair[1].set(main[:, :, None, None], mean)
    return pair


def narrowed(wide: CutOut, x: Tensor) -> CutOut:
    """One after the other, each by what the network narrowed so far says of the pictures."""
    net = copy.deepcopy(wide)
    for path, between in BETWEEN.items():
        conv = net.get_submodule(path)
        put(net, path, through(between, conv, answers(net, conv, x)))
    return net


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkpoint", type=Path)
    parser.add_argument("--data", type=Path, required=True, help="folder data.py wrote")
    parser.add_argument("--pictures", type=int, default=64, help="that tell what is needed")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    wide = checkpoint_of("garment-cutout", options.checkpoint)
    task = CutOutTask(options.data, options.seed, options.pictures)
    x, *_ = task.batch(np.random.default_rng(options.seed), 0, VALIDATION_SIZE)
    torch.save({"average": narrowed(wide, x).state_dict()}, options.out)
    print(options.out)


if __name__ == "__main__":
    main()
