"""The networks. Names of their parts are those in the checkpoints."""

from pathlib import Path

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from classes import CLASS_NAMES
from groups import GROUPS

State = dict[str, Tensor]

# Of MobileNetV2 after its first block: channels, how many blocks, stride of the first.
BLOCKS = ((24, 2, 2), (32, 3, 2), (64, 4, 2), (96, 3, 1), (160, 3, 2), (320, 1, 1))
EXPANSION = 6
TAIL_CHANNELS = 1280


class Clamped(torch.autograd.Function):
    """ReLU6, with a gradient in bf16 too, which torch has none of on a CPU."""

    @staticmethod
    def forward(ctx, x: Tensor) -> Tensor:
        y = x.clamp(0, 6)
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, above: Tensor) -> Tensor:
        (y,) = ctx.saved_tensors
        below = torch.ops.aten.threshold_backward(above, y, 0)
        return torch.ops.aten.threshold_backward(below, 6 - y, 0)


class Conv(nn.Module):
    """
    A convolution whose weights are kept per output channel as `v * sc`, `v` of mean square 1. The
    channels of a network with its batch norms folded in differ a thousandfold; so each step of Adam
    is relative to the channel's own scale. `sc` is not trained.
    """

    def __init__(self, inputs: int, outputs: int, kernel=1, stride=1, groups=1, act="relu"):
        super().__init__()
        fan = inputs // groups * kernel * kernel
        self.v = nn.Parameter(torch.empty(outputs, inputs // groups, kernel, kernel))
        self.b = nn.Parameter(torch.zeros(outputs))
        self.register_buffer("sc", torch.ones(outputs, 1, 1, 1))
        self.stride, self.padding, self.groups, self.act = stride, kernel // 2, groups, act
        self.set(torch.randn_like(self.v) * (2 / fan) ** 0.5, self.b.data)

    @torch.no_grad()
    def set(self, weight: Tensor, bias: Tensor) -> None:
        root = weight.pow(2).mean((1, 2, 3), keepdim=True).sqrt()
        self.sc.copy_(root.clamp(min=float(root.mean()) * 0.02))
        self.v.copy_(weight / self.sc)
        self.b.copy_(bias)

    def linear(self, x: Tensor) -> Tensor:
        return F.conv2d(x, self.v * self.sc, self.b, self.stride, self.padding, 1, self.groups)

    def forward(self, x: Tensor) -> Tensor:
        y = self.linear(x)
        if self.act == "relu6":
            return Clamped.apply(y) if y.dtype == torch.bfloat16 else F.relu6(y)
        return F.relu(y) if self.act == "relu" else y


class Block(nn.Module):
    def __init__(self, inputs: int, outputs: int, stride: int):
        super().__init__()
        inner = inputs * EXPANSION
        self.c = nn.Sequential(
            Conv(inputs, inner, act="relu6"),
            Conv(inner, inner, 3, stride, inner, act="relu6"),
            Conv(inner, outputs, act=None),
        )
        self.residual = stride == 1 and inputs == outputs

    def forward(self, x: Tensor) -> Tensor:
        y = self.c(x)
        return x + y if self.residual else y


class Encoder(nn.Module):
    """MobileNetV2 1.0 without batch norms; answers every block's output."""

    def __init__(self, whole: bool):
        super().__init__()
        self.stem = nn.Sequential(
            Conv(3, 32, 3, 2, act="relu6"),
            Conv(32, 32, 3, 1, 32, act="relu6"),
            Conv(32, 16, act=None),
        )
        self.blocks = nn.ModuleList()
        channels = 16
        for outputs, count, stride in BLOCKS if whole else BLOCKS[:-1]:
            for i in range(count):
                self.blocks.append(Block(channels, outputs, stride if i == 0 else 1))
                channels = outputs
        self.tail = Conv(channels, TAIL_CHANNELS, act="relu6") if whole else None

    def forward(self, x: Tensor) -> list[Tensor]:
        features = [self.stem(x)]
        for block in self.blocks:
            features.append(block(features[-1]))
        if self.tail is not None:
            features.append(self.tail(features[-1]))
        return features


class Further(nn.Module):
    """
    A second look at a level of the decoder, added to the first: nearly nothing at first, so that a
    decoder trained without it goes on from where it was.
    """

    def __init__(self, channels: int):
        super().__init__()
        self.added = Conv(channels, channels, 3, act=None)
        self.added.v.data.mul_(0.05)

    def forward(self, x: Tensor) -> Tensor:
        return F.relu(x + self.added(x))


def doubled(x: Tensor) -> Tensor:
    return F.interpolate(x, scale_factor=2.0, mode="bilinear", align_corners=False)


class Fine(nn.Module):
    """
    Edges at full size, from the picture's own colours and what the decoder says at 1/2; nothing
    at first, so that a network trained without goes on from where it was.
    """

    def __init__(self, inputs: int, channels: int):
        super().__init__()
        self.t, self.l = Conv(inputs, channels, act=None), Conv(3, channels, 3, act=None)
        self.dw = Conv(channels, channels, 3, 1, channels, act=None)
        self.pw = Conv(channels, channels)
        self.out = Conv(channels, 1, 3, act=None)
        self.out.v.data.zero_()

    def forward(self, x: Tensor, half: Tensor) -> Tensor:
        return self.out(self.pw(self.dw(F.relu(self.l(x) + doubled(self.t(half))))))


class Quartered(nn.Module):
    """
    Edges at full size, worked out at 1/2: four logits of each cell are its four pixels. From the
    picture's own colours and what the decoder says, added to a logit of the cell.
    """

    def __init__(self, inputs: int, channels: int):
        super().__init__()
        self.t, self.l = Conv(inputs, channels, act=None), Conv(3, channels, 5, 2, act=None)
        self.out = Conv(channels, 4, 3, act=None)
        self.out.v.data.mul_(0.05)

    def forward(self, x: Tensor, half: Tensor, logits: Tensor) -> Tensor:
        return F.pixel_shuffle(self.out(F.relu(self.l(x) + self.t(half))) + logits, 2)


class Wider(nn.Module):
    """A look at more of the surroundings, added; nearly nothing at first, as `Further`."""

    def __init__(self, channels: int):
        super().__init__()
        self.dw = Conv(channels, channels, 5, 1, channels)
        self.added = Conv(channels, channels, act=None)
        self.added.v.data.mul_(0.05)

    def forward(self, x: Tensor) -> Tensor:
        return F.relu(x + self.added(self.dw(x)))


class Everywhere(nn.Module):
    """
    What is elsewhere in the picture, by attention between all cells, added; nearly nothing at first:
    whether it is a skirt or a dress shows above it.
    """

    def __init__(self, channels: int, heads: int = 4):
        super().__init__()
        self.heads = heads
        self.asked, self.offered, self.told = (Conv(channels, channels, act=None) for _ in range(3))
        self.added = Conv(channels, channels, act=None)
        self.added.v.data.mul_(0.05)

    def forward(self, x: Tensor) -> Tensor:
        count, channels, height, width = x.shape
        each = channels // self.heads
        asked, offered, told = (
            part(x).reshape(count, self.heads, each, height * width)
            for part in (self.asked, self.offered, self.told)
        )
        likeness = torch.matmul(asked.transpose(2, 3), offered) * each**-0.5
        seen = torch.matmul(told, torch.softmax(likeness, 3).transpose(2, 3))
        return F.relu(x + self.added(seen.reshape(count, channels, height, width)))


class Trunk(nn.Module):
    """
    Encoder, and decoder to 1/4 of the picture's size: where the subject is, and of which parts.
    """

    def __init__(self):
        super().__init__()
        self.enc = Encoder(whole=False)
        self.c5, self.gp = Conv(160, 96, act=None), Conv(160, 96, act=None)
        self.dw5, self.pw5 = Conv(96, 96, 5, 1, 96), Conv(96, 96, act=None)
        self.t4, self.l4 = Conv(96, 64, act=None), Conv(96, 64, act=None)
        self.dw4, self.o4 = Conv(64, 64, 5, 1, 64), Conv(64, 64)
        self.t3, self.l3, self.o3 = Conv(64, 48, act=None), Conv(32, 48, act=None), Conv(48, 48, 3)
        self.t2, self.l2, self.o2 = Conv(48, 48, act=None), Conv(24, 48, act=None), Conv(48, 48, 3)
        self.r4 = Further(64)
        # What else looks around, at 1/32 and 1/16.
        self.e5 = self.s5 = self.s4 = nn.Sequential()
        self.r3 = nn.Sequential(Further(48), Further(48))
        self.r2 = nn.Sequential(Further(48), Further(48))

    def context(self, deepest: Tensor) -> Tensor:
        around = self.c5(deepest) + self.gp(F.adaptive_avg_pool2d(deepest, 1))
        return F.relu(around + self.pw5(self.dw5(around)))

    def decoded(self, features: list[Tensor], context: Tensor) -> tuple[Tensor, Tensor]:
        """From the encoder's features, at 1/8 and at 1/4."""
        f2, f3, f4 = (features[i] for i in (2, 5, 12))
        p4 = self.r4(self.o4(self.dw4(F.relu(self.l4(f4) + doubled(self.t4(context))))))
        p4 = self.s4(p4)
        p3 = self.r3(self.o3(F.relu(self.l3(f3) + doubled(self.t3(p4)))))
        return p3, self.r2(self.o2(F.relu(self.l2(f2) + doubled(self.t2(p3)))))


class CutOut(Trunk):
    """Colours 0..1, n x 3 x h x w, multiples of 32, to logits of alpha; no batch norm anywhere."""

    def __init__(self):
        super().__init__()
        self.t1, self.l1, self.o1 = Conv(48, 32, act=None), Conv(16, 32, act=None), Conv(32, 32, 3)
        self.t0, self.l0 = Conv(32, 8, act=None), Conv(3, 8, 3, act=None)
        self.out = Conv(8, 1, 3, act=None)
        self.r0 = Fine(32, 16)
        self.a3, self.a1 = Conv(48, 1, act=None), Conv(32, 1, act=None)

    def look_around(self) -> None:
        """As since 2026-11-27, in training: it looks at more at once, and edges are made at 1/2."""
        self.e5, self.s5 = Everywhere(96), Wider(96)
        self.s4 = nn.Sequential(Everywhere(64), Wider(64))
        self.h1 = Quartered(32, 32)
        del self.t0, self.l0, self.out, self.r0

    def context(self, deepest: Tensor) -> Tensor:
        return self.s5(self.e5(super().context(deepest)))

    def edges(self, x: Tensor, p1: Tensor, half: Tensor) -> Tensor:
        if hasattr(self, "h1"):
            return self.h1(x, p1, half)
        return self.out(F.relu(self.l0(x) + doubled(self.t0(p1)))) + self.r0(x, p1)

    def levels(self, x01: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Logits at full size, at 1/2 and at 1/8; only the first is in the exported network."""
        x = x01 * 2 - 1
        features = self.enc(x)
        p3, p2 = self.decoded(features, self.context(features[15]))
        p1 = self.o1(F.relu(self.l1(features[0]) + doubled(self.t1(p2))))
        half = self.a1(p1)
        return self.edges(x, p1, half).float(), half.float(), self.a3(p3).float()

    def forward(self, x01: Tensor) -> Tensor:
        return self.levels(x01)[0]


def places(x: Tensor) -> Tensor:
    """How far down and to the right each cell is, -1..1, n x 2 x h x w."""
    ones = torch.ones_like(x[:, :1])
    down, right = (
        2 * torch.cumsum(ones, axis) / ones.sum(axis, keepdim=True) - 1 for axis in (2, 3)
    )
    return torch.cat([down, right], 1)


class Parse(Trunk):
    """
    Colours 0..1, n x 3 x h x w, multiples of 32, to logits of groups at 1/4 of that. Its trunk
    begins as the cut-out network's; more is added that begins at nearly nothing.
    """

    def __init__(self, groups: int = len(GROUPS)):
        super().__init__()
        self.p5 = Conv(2, 96, act=None)
        self.p5.v.data.mul_(0.05)
        self.e5 = nn.Sequential(Everywhere(96), Everywhere(96))
        self.s5 = nn.Sequential(Wider(96), Wider(96))
        self.s2 = Further(48)
        self.h2, self.out = Conv(48, 96), Conv(96, groups, act=None)
        # Which groups there are at all in the picture, and what that says of every cell.
        self.w5, self.worn, self.bias = (
            Conv(96, 96),
            Conv(96, groups, act=None),
            Conv(96, groups, act=None),
        )
        self.bias.v.data.mul_(0.05)
        # Only trains, as the cut-out network's small ones.
        self.a8 = Conv(48, groups, act=None)

    def context(self, deepest: Tensor) -> Tensor:
        x = F.relu(super().context(deepest) + self.p5(places(deepest)))
        for everywhere, wider in zip(self.e5, self.s5):
            x = wider(everywhere(x))
        return x

    def levels(self, x01: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """
        Logits at 1/4, at 1/8 and of which groups there are, n x groups x 1 x 1; only the first are in
        the exported network.
        """
        features = self.enc(x01 * 2 - 1)
        context = self.context(features[15])
        p3, p2 = self.decoded(features, context)
        whole = self.w5(F.adaptive_avg_pool2d(context, 1))
        logits = self.out(self.h2(self.s2(p2))) + self.bias(whole)
        return logits.float(), self.a8(p3).float(), self.worn(whole).float()

    def forward(self, x01: Tensor) -> Tensor:
        return self.levels(x01)[0]


class Classifier(nn.Module):
    """Colours 0..1, n x 3 x 224 x 224, to logits of the classes and to 1280 pooled features."""

    def __init__(self, classes: int = len(CLASS_NAMES)):
        super().__init__()
        self.enc = Encoder(whole=True)
        self.fc = nn.Linear(TAIL_CHANNELS, classes)
        nn.init.normal_(self.fc.weight, std=0.01)
        nn.init.zeros_(self.fc.bias)

    def forward(self, x01: Tensor, dropout: float = 0.0) -> tuple[Tensor, Tensor]:
        features = self.enc(x01 * 2 - 1)[-1].float()
        embedding = F.adaptive_avg_pool2d(features, 1).flatten(1)
        return self.fc(F.dropout(embedding, dropout, self.training)), embedding


NETS = {"garment-cutout": CutOut, "garment-class": Classifier, "garment-parse": Parse}


def narrow(conv: Conv, between: int) -> nn.Sequential:
    """In the place of a convolution: one to fewer channels, one from there to as many as before."""
    outputs, inputs, kernel, _ = conv.v.shape
    return nn.Sequential(
        Conv(inputs, between, kernel, act=None), Conv(between, outputs, act=conv.act)
    )


def put(net: nn.Module, path: str, part: nn.Module) -> None:
    """In the place of the part that is there."""
    parent, _, name = path.rpartition(".")
    setattr(net.get_submodule(parent), name, part)


def shape_as(net: nn.Module, state: State) -> None:
    """
    A network gets the parts that a checkpoint has: it looks around, and those convolutions become
    narrow that are so (narrow.py).
    """
    if isinstance(net, CutOut) and "h1.out.v" in state:
        net.look_around()
    for path, conv in list(net.named_modules()):
        first = state.get(f"{path}.0.v")
        if isinstance(conv, Conv) and first is not None:
            put(net, path, narrow(conv, len(first)))


def checkpoint_of(name: str, file: Path) -> nn.Module:
    """The network of a checkpoint, narrow where that is."""
    state = torch.load(file, map_location="cpu", weights_only=True)
    state = state.get("average", state)
    # A classifier of other classes is one still.
    net = Classifier(len(state["fc.bias"])) if name == "garment-class" else NETS[name]()
    shape_as(net, state)
    net.load_state_dict(state)
    return net.eval()


@torch.no_grad()
def settle(net: Trunk, x01: Tensor, names: list[str]) -> None:
    """
    Scales and shifts those fresh convolutions of the decoder by one batch: the answers of each get
    mean 0 and a set deviation. Those that add to what is there stay nearly nothing.
    """
    fresh = {
        m: n
        for n, m in net.named_modules()
        if f"{n}.v" in names
        and not n.startswith("enc.")
        and not n.endswith((".added", "r0.out", "h1.out", "p5", "bias"))
    }
    order: list[Conv] = []
    hooks = [m.register_forward_hook(lambda m, *_: order.append(m)) for m in fresh]
    net.levels(x01)
    for hook in hooks:
        hook.remove()
    for conv in order:
        seen: list[Tensor] = []
        hook = conv.register_forward_pre_hook(lambda m, args: seen.append(m.linear(args[0])))
        net.levels(x01)
        hook.remove()
        mean, deviation = seen[0].mean((0, 2, 3)), seen[0].std((0, 2, 3))
        last = fresh[conv] in ("a1", "a3", "a8", "worn", "out")
        gain = (0.5 if last else 1.0 if conv.act else 0.7) / (deviation + 0.05)
        conv.sc.mul_(gain.view(-1, 1, 1, 1))
        conv.b.copy_((conv.b - mean) * gain)
