"""
Two checkpoints of the cut-out network as one, every weight a share of the way from the first to
the second. The second was trained further from the first: what lies between both often does
better than either. See Wortsman et al., Robust fine-tuning of zero-shot models, CVPR 2022.
"""

import argparse
from pathlib import Path

import torch
from torch import Tensor


def read(file: Path) -> dict[str, Tensor]:
    state = torch.load(file, map_location="cpu", weights_only=True)
    return state.get("average", state)


def mixed(first: dict[str, Tensor], second: dict[str, Tensor], share: float) -> dict[str, Tensor]:
    """
    What only the second has fades in from nothing. Scales of convolutions are not trained, and
    stay the second's.
    """

    def between(key: str, value: Tensor) -> Tensor:
        if key.endswith(".sc"):
            return value
        return torch.lerp(first.get(key, torch.zeros_like(value)), value, share)

    return {key: between(key, value) for key, value in second.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("first", type=Path, help="checkpoint")
    parser.add_argument("second", type=Path, help="checkpoint trained from it")
    parser.add_argument("--share", type=float, required=True, help="0 is the first, 1 the second")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    if not 0 <= options.share <= 1:
        parser.error("--share lies between 0 and 1")
    average = mixed(read(options.first), read(options.second), options.share)
    torch.save({"average": average}, options.out)
    print(options.out)


if __name__ == "__main__":
    main()
