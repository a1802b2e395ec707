"""
An exported network as a checkpoint again, for training to go on from what ships. What an export
leaves out comes from another checkpoint, or is fresh.
"""

import argparse
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import torch
from onnx import numpy_helper
from torch import Tensor, nn

from export import SHAPES, WRAPPED, pictures
from net import NETS, shape_as
from start import start_from

# How far alphas may be from those of the file, 0..1.
FARTHEST = 2e-4


def arrays_of(model: onnx.ModelProto) -> dict[str, Tensor]:
    """By name, single precision; what is equal was written once."""
    arrays = {
        tensor.name.removesuffix("_h"): torch.from_numpy(
            numpy_helper.to_array(tensor).astype(np.float32)
        )
        for tensor in model.graph.initializer
    }
    for node in model.graph.node:
        if node.op_type == "Identity" and node.input[0] in arrays:
            arrays[node.output[0]] = arrays[node.input[0]]
    return arrays


def convolutions_of(arrays: dict[str, Tensor]) -> dict[str, tuple[Tensor, Tensor]]:
    """Weight and bias of each convolution, by its path in the network."""
    found = {}
    for name, weight in arrays.items():
        if not (name.startswith("net.") and name.endswith(".0.weight")):
            continue
        path = name.removeprefix("net.").removesuffix(".0.weight")
        bias = arrays.get(f"net.{path}.0.bias")
        if bias is None:
            # Written as one of each channel and their sum (export.py).
            weight, bias = weight.transpose(0, 1), arrays[f"net.{path}.1.bias"]
        found[path] = weight, bias
    return found


def temperature_of(model: onnx.ModelProto) -> float:
    """What its logits are divided by."""
    constants = {
        node.output[0]: numpy_helper.to_array(node.attribute[0].t)
        for node in model.graph.node
        if node.op_type == "Constant"
    }
    divisors = [node.input[1] for node in model.graph.node if node.op_type == "Div"]
    return float(constants[divisors[-1]]) if divisors else 1.0


def put_in(net: nn.Module, model: onnx.ModelProto) -> None:
    """Its weights in the network, which becomes as narrow; the temperature goes into the last."""
    convolutions = convolutions_of(arrays_of(model))
    shape_as(net, {f"{path}.v": weight for path, (weight, _) in convolutions.items()})
    temperature = temperature_of(model)
    for path, (weight, bias) in convolutions.items():
        # What a network's logits are the sum of.
        share = 1 / temperature if path.endswith(("out", "bias", "a1")) else 1.0
        net.get_submodule(path).set(weight * share, bias * share)


@torch.no_grad()
def farthest(name: str, net: nn.Module, model: onnx.ModelProto) -> float:
    """Between answers of both, over some pictures."""
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    x = pictures(4, SHAPES[name][0], torch.Generator().manual_seed(1))
    [answer] = session.run(None, {"input": x.numpy()})
    return float((WRAPPED[name](net, 1.0)(x) - torch.from_numpy(answer)).abs().max())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("network", type=Path, help="ONNX that export.py wrote")
    parser.add_argument(
        "--net", choices=("garment-cutout", "garment-parse"), default="garment-cutout"
    )
    parser.add_argument("--rest", type=Path, help="checkpoint that has what an export leaves out")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    torch.manual_seed(1)
    net, model = NETS[options.net]().eval(), onnx.load(options.network)
    if options.rest:
        start_from(net, options.rest)
    put_in(net, model)
    distance = farthest(options.net, net, model)
    print(f"from the file: {distance:.1e} at most")
    if distance > FARTHEST:
        raise SystemExit("The checkpoint answers otherwise than the file; nothing was written")
    torch.save({"average": net.state_dict()}, options.out)
    print(options.out)


if __name__ == "__main__":
    main()
