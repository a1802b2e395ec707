"""
A checkpoint as ONNX: any number of pictures at once, weights of half precision, the arithmetic
of single; checked.
"""

import argparse
import inspect
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import torch
import torch.nn.functional as F
from onnx import helper
from torch import Tensor, nn

from classes import CLASS_NAMES
from groups import IDS
from half import with_half_weights
from net import NETS, Conv, checkpoint_of

OPSET = 13
# Where torch has two exporters: the one by tracing, which keeps the names of weights.
BY_TRACING = (
    {"dynamo": False} if "dynamo" in inspect.signature(torch.onnx.export).parameters else {}
)
# How far answers may be from those of torch: the farthest with the same weights, the mean with
# rounded ones.
SINGLE_FARTHEST, HALF_MEAN = 2e-4, 1e-2


class Matte(nn.Module):
    def __init__(self, net: nn.Module, temperature: float):
        super().__init__()
        self.net, self.temperature = net, temperature

    def forward(self, x: Tensor) -> Tensor:
        return torch.sigmoid(self.net(x) / self.temperature)


class Named(nn.Module):
    def __init__(self, net: nn.Module, temperature: float):
        super().__init__()
        self.net, self.temperature = net, temperature

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        logits, embedding = self.net(x)
        return torch.softmax(logits / self.temperature, 1), embedding


class Grouped(nn.Module):
    def __init__(self, net: nn.Module, temperature: float):
        super().__init__()
        self.net, self.temperature = net, temperature

    def forward(self, x: Tensor) -> Tensor:
        return torch.softmax(self.net(x) / self.temperature, 1)


# Side of the picture it is checked with, names of what goes in and comes out, and which
# dimensions have names.
SHAPES = {
    "garment-cutout": (
        320,
        ("alpha",),
        {"input": {0: "n", 2: "h", 3: "w"}, "alpha": {0: "n", 2: "h", 3: "w"}},
    ),
    "garment-class": (
        224,
        ("probs", "embedding"),
        {"input": {0: "n"}, "probs": {0: "n"}, "embedding": {0: "n"}},
    ),
    "garment-parse": (
        320,
        ("groups",),
        {"input": {0: "n", 2: "h", 3: "w"}, "groups": {0: "n", 2: "quarter_h", 3: "quarter_w"}},
    ),
}


# What the network tells apart, in the order of its answers; written into the file.
SAID = {"garment-class": CLASS_NAMES, "garment-parse": IDS}


def apart(conv: nn.Conv2d) -> list[nn.Module]:
    """
    A wide convolution to one channel as one of each channel and their sum: the same, but runtimes
    that reckon channels by eights or sixteens do not do the work of eight or sixteen for it.
    """
    inputs, side = conv.in_channels, conv.kernel_size[0]
    if conv.out_channels > 1 or side == 1:
        return [conv]
    each = nn.Conv2d(inputs, inputs, side, padding=conv.padding, groups=inputs, bias=False)
    each.weight.data = conv.weight.data.transpose(0, 1).contiguous()
    total = nn.Conv2d(inputs, 1, 1)
    total.weight.data, total.bias.data = torch.ones(1, inputs, 1, 1), conv.bias.data
    return [each, total]


def plain_convolutions(module: nn.Module) -> None:
    """Each of our convolutions as an ordinary one, its scale folded in."""
    for name, child in list(module.named_children()):
        if not isinstance(child, Conv):
            plain_convolutions(child)
            continue
        weight = (child.v * child.sc).detach()
        plain = nn.Conv2d(
            weight.shape[1] * child.groups,
            weight.shape[0],
            weight.shape[2],
            child.stride,
            child.padding,
            groups=child.groups,
        )
        plain.weight.data, plain.bias.data = weight.contiguous(), child.b.detach()
        act = {"relu6": [nn.ReLU6()], "relu": [nn.ReLU()]}.get(child.act, [])
        setattr(module, name, nn.Sequential(*apart(plain), *act))


def tidied(file: Path, name: str) -> onnx.ModelProto:
    model = onnx.load(file)
    for node in model.graph.node:
        for attribute in node.attribute:
            # The same at these sizes, and every runtime knows it.
            if attribute.s == b"pytorch_half_pixel":
                attribute.s = b"half_pixel"
    del model.metadata_props[:]
    model.producer_name, model.producer_version, model.ir_version = name, "", 8
    return model


def pictures(count: int, side: int, generator: torch.Generator) -> Tensor:
    """Soft blots of colour, each picture another: noise of single pixels is like no photo."""
    few = torch.rand(count, 3, 5, 5, generator=generator)
    return F.interpolate(few, (side, side), mode="bicubic").clamp(0, 1)


def distance(model: onnx.ModelProto, whole: nn.Module, side: int) -> tuple[float, float]:
    """From torch's answers, over one, two and four pictures at once: the farthest, and the mean."""
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    generator, distances = torch.Generator().manual_seed(1), []
    for count in (1, 2, 4):
        x = pictures(count, side, generator)
        with torch.no_grad():
            wanted = whole(x)
        wanted = wanted if isinstance(wanted, Tensor) else wanted[0]
        [answer, *_] = session.run(None, {"input": x.numpy()})
        distances.append(np.abs(answer - wanted.numpy()).ravel())
    joined = np.concatenate(distances)
    return float(joined.max()), float(joined.mean())


WRAPPED = {"garment-cutout": Matte, "garment-class": Named, "garment-parse": Grouped}


def wrapped(options) -> nn.Module:
    return WRAPPED[options.net](checkpoint_of(options.net, options.checkpoint), options.temperature)


def traced(options, side: int, outputs, dimensions) -> onnx.ModelProto:
    folded = wrapped(options).eval()
    plain_convolutions(folded)
    file = options.out.with_suffix(".traced")
    torch.onnx.export(
        folded,
        (torch.rand(2, 3, side, side),),
        str(file),
        opset_version=OPSET,
        input_names=["input"],
        output_names=list(outputs),
        dynamic_axes=dimensions,
        **BY_TRACING,
    )
    model = tidied(file, options.net)
    file.unlink()
    return model


def export(options) -> None:
    side, outputs, dimensions = SHAPES[options.net]
    model = traced(options, side, outputs, dimensions)
    whole = wrapped(options).eval()
    single, _ = distance(model, whole, side)
    if options.net in SAID:
        said = {"classes": ",".join(SAID[options.net]), "temperature": str(options.temperature)}
        helper.set_model_props(model, said)
    if options.precision == "fp16":
        model = with_half_weights(model)
    farthest, mean = distance(model, whole, side)
    print(
        f"from torch: {single:.1e} at most with its weights; "
        f"as written {farthest:.1e}, mean {mean:.1e}"
    )
    if single > SINGLE_FARTHEST or mean > HALF_MEAN:
        raise SystemExit("The exported network answers otherwise than torch; nothing was written")
    onnx.save(model, options.out)
    print(f"{options.out}: {options.out.stat().st_size} bytes")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkpoint", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--net", choices=NETS, required=True)
    parser.add_argument(
        "--precision", choices=("fp16", "fp32"), default="fp16", help="of the weights"
    )
    parser.add_argument("--temperature", type=float, default=1.0, help="logits are divided by it")
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    export(options)


if __name__ == "__main__":
    main()
