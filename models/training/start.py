"""What a network starts from: a checkpoint of ours, or torchvision's MobileNetV2."""

from pathlib import Path

import torch
from torch import Tensor, nn

from net import Conv, shape_as


def start_from(net: nn.Module, file: Path) -> list[str]:
    """
    Takes over every weight of a checkpoint whose name and shape fit: another of ours, narrow
    where that is, or torchvision's MobileNetV2.
    @returns the names of those that stay fresh
    """
    state = torch.load(file, map_location="cpu", weights_only=True)
    state = state.get("average", state)
    if "features.0.0.weight" in state:
        return start_from_torchvision(net, state)
    shape_as(net, state)
    own = net.state_dict()
    fitting = {k: v for k, v in state.items() if k in own and own[k].shape == v.shape}
    net.load_state_dict(fitting, strict=False)
    return sorted(set(own) - set(fitting))


# What torchvision's network wants its colours to be less and divided by.
MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)


def start_from_torchvision(net: nn.Module, state: dict[str, Tensor]) -> list[str]:
    """As `start_from`: batch norms and the normalisation of colours are folded in."""
    convs = [key[: -len(".weight")] for key, value in state.items() if value.ndim == 4]
    ours = {name: m for name, m in net.named_modules() if isinstance(m, Conv) and "enc." in name}
    for (name, conv), key in zip(ours.items(), convs):
        stem, number = key.rsplit(".", 1)
        norm = f"{stem}.{int(number) + 1}"
        gain = state[f"{norm}.weight"] / (state[f"{norm}.running_var"] + 1e-5).sqrt()
        weight = state[f"{key}.weight"] * gain.view(-1, 1, 1, 1)
        bias = state[f"{norm}.bias"] - state[f"{norm}.running_mean"] * gain
        if name == "enc.stem.0":
            mean, std = (torch.tensor(t).view(1, 3, 1, 1) for t in (MEAN, STD))
            bias = bias + (weight * (0.5 - mean) / std).sum((1, 2, 3))
            weight = weight / (2 * std)
        conv.set(weight, bias)
    return sorted(name for name in net.state_dict() if "enc." not in name)
