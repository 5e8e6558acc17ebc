#!/usr/bin/env python3
"""The work of gpu_benchmark with PyTorch: same cases, shapes, types, and counting.

    python3 torch_benchmark.py --device=cuda:0 --out=torch.jsonl

Plain eager mode, and as variants, unless --variants names a few:

    channels_last   convolutional networks with images in this memory format
    compile         torch.compile
    captured        the whole step as a CUDA graph
    sdpa            attention by scaled_dot_product_attention
    amp             autocast and float32 parameters, for float16 and bfloat16

As in catena, float16 and bfloat16 parameters have float32 copies that the optimizer
updates, and batch normalization with float16 has float32 parameters. The networks are
those of networks.h: change both.
"""

import argparse
import fnmatch
import json
import math
import sys
import time

import torch
import torch.nn.functional as F
from torch import nn

PRECISIONS = {"float32": torch.float32, "tf32": torch.float32,
              "float16": torch.float16, "bfloat16": torch.bfloat16}
VARIANTS = ["channels_last", "compile", "captured", "sdpa", "amp"]


# --- Networks ---


class Mlp(nn.Module):

    def __init__(self, units, classes):
        super().__init__()
        self.l1 = nn.Linear(784, units)
        self.l2 = nn.Linear(units, units)
        self.l3 = nn.Linear(units, classes)

    def forward(self, x):
        return self.l3(F.relu(self.l2(F.relu(self.l1(x)))))


class LeNet(nn.Module):

    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 20, 5)
        self.conv2 = nn.Conv2d(20, 50, 5)
        self.fc1 = nn.Linear(800, 500)
        self.fc2 = nn.Linear(500, 10)

    def forward(self, x):
        h = F.max_pool2d(self.conv1(x), 2)
        h = F.max_pool2d(self.conv2(h), 2)
        return self.fc2(F.relu(self.fc1(h.flatten(1))))


class VggBlock(nn.Module):

    def __init__(self, in_channels, channels):
        super().__init__()
        self.conv = nn.Conv2d(in_channels, channels, 3, padding=1, bias=False)
        self.bn = nn.BatchNorm2d(channels)

    def forward(self, x):
        return F.relu(self.bn(self.conv(x)))


class Vgg(nn.Module):
    STAGES = [(1, 2, 0.3), (2, 2, 0.4), (4, 3, 0.4), (8, 3, 0.4), (8, 3, 0.4)]

    def __init__(self, classes, width):
        super().__init__()
        layers, channels = [], 3
        for widths, blocks, dropout in self.STAGES:
            for i in range(blocks):
                if i > 0:
                    layers.append(nn.Dropout(dropout))
                layers.append(VggBlock(channels, widths * width))
                channels = widths * width
            layers.append(nn.MaxPool2d(2))
        self.layers = nn.Sequential(*layers)
        self.fc1 = nn.Linear(8 * width, 8 * width, bias=False)
        self.bn = nn.BatchNorm1d(8 * width)
        self.fc2 = nn.Linear(8 * width, classes)

    def forward(self, x):
        h = self.layers(x).flatten(1)
        h = F.relu(self.bn(self.fc1(F.dropout(h, training=self.training))))
        return self.fc2(F.dropout(h, training=self.training))


class BottleNeck(nn.Module):

    def __init__(self, in_channels, mid, out, stride, project):
        super().__init__()
        # As in the paper, the first convolution has the stride.
        self.conv1 = nn.Conv2d(in_channels, mid, 1, stride, bias=False)
        self.bn1 = nn.BatchNorm2d(mid)
        self.conv2 = nn.Conv2d(mid, mid, 3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(mid)
        self.conv3 = nn.Conv2d(mid, out, 1, bias=False)
        self.bn3 = nn.BatchNorm2d(out)
        self.shortcut = nn.Sequential(
            nn.Conv2d(in_channels, out, 1, stride, bias=False),
            nn.BatchNorm2d(out)) if project else nn.Identity()

    def forward(self, x):
        h = F.relu(self.bn1(self.conv1(x)))
        h = F.relu(self.bn2(self.conv2(h)))
        return F.relu(self.bn3(self.conv3(h)) + self.shortcut(x))


class ResNet50(nn.Module):

    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 64, 7, 2, padding=3)
        self.bn1 = nn.BatchNorm2d(64)
        blocks, channels = [], 64
        for count, mid, stride in [(3, 64, 1), (4, 128, 2), (6, 256, 2), (3, 512, 2)]:
            for i in range(count):
                blocks.append(BottleNeck(channels, mid, 4 * mid, stride if i == 0 else 1,
                                         project=i == 0))
                channels = 4 * mid
        self.blocks = nn.Sequential(*blocks)
        self.fc6 = nn.Linear(channels, 1000)

    def forward(self, x):
        # Chainer's pooling covers the last row and column, too.
        h = F.max_pool2d(F.relu(self.bn1(self.conv1(x))), 3, 2, ceil_mode=True)
        h = self.blocks(h)
        return self.fc6(h.mean((2, 3)))


class StepByStep(nn.Module):

    def __init__(self, words, units):
        super().__init__()
        self.embed = nn.Embedding(words, units)
        self.l1 = nn.LSTMCell(units, units)
        self.l2 = nn.LSTMCell(units, units)
        self.l3 = nn.Linear(units, words)
        self.state = None

    def loss(self, x, t):
        if self.state is None:
            zeros = torch.zeros(x.shape[1], self.l1.hidden_size, device=x.device,
                                dtype=self.l3.weight.dtype)
            self.state = [zeros.clone() for _ in range(4)]
        h1, c1, h2, c2 = self.state
        loss = 0
        for i in range(x.shape[0]):
            h1, c1 = self.l1(F.dropout(self.embed(x[i])), (h1, c1))
            h2, c2 = self.l2(F.dropout(h1), (h2, c2))
            loss = loss + F.cross_entropy(self.l3(F.dropout(h2)), t[i])
        # In place, so that a captured step continues from it.
        with torch.no_grad():
            for old, new in zip(self.state, (h1, c1, h2, c2)):
                old.copy_(new)
        return loss


class WholeSequences(nn.Module):

    def __init__(self, words, units):
        super().__init__()
        self.embed = nn.Embedding(words, units)
        self.lstm = nn.LSTM(units, units, 2, batch_first=True, dropout=0.5)
        self.l3 = nn.Linear(units, words)
        self.state = None

    def loss(self, x, t):
        if self.state is None:
            zeros = torch.zeros(2, x.shape[0], self.lstm.hidden_size, device=x.device,
                                dtype=self.l3.weight.dtype)
            self.state = (zeros, zeros.clone())
        h, state = self.lstm(F.dropout(self.embed(x)), self.state)
        with torch.no_grad():
            for old, new in zip(self.state, state):
                old.copy_(new)
        scores = self.l3(F.dropout(h.flatten(0, 1)))
        return F.cross_entropy(scores, t.flatten()) * x.shape[1]


class TransformerLayer(nn.Module):

    def __init__(self, batch, steps, units, heads, sdpa):
        super().__init__()
        self.shape = (batch, steps, heads, units // heads)
        self.sdpa = sdpa
        self.qkv = nn.Linear(units, 3 * units)
        self.out = nn.Linear(units, units)
        self.norm1 = nn.LayerNorm(units)
        self.ff1 = nn.Linear(units, 4 * units)
        self.ff2 = nn.Linear(4 * units, units)
        self.norm2 = nn.LayerNorm(units)

    def forward(self, x):
        q, k, v = (part.view(self.shape).transpose(1, 2)
                   for part in self.qkv(x).chunk(3, dim=1))
        if self.sdpa:
            y = F.scaled_dot_product_attention(q, k, v)
        else:
            scale = 1 / math.sqrt(self.shape[3])
            y = torch.softmax(q @ k.transpose(2, 3) * scale, dim=3) @ v
        h = self.norm1(x + self.out(y.transpose(1, 2).reshape(x.shape)))
        return self.norm2(h + self.ff2(F.relu(self.ff1(h))))


# --- Steps ---


class Settings:
    """What a case is measured with."""

    def __init__(self, options, precision, variant):
        self.device = torch.device(options.device)
        self.small = options.small
        self.batch = options.batch
        self.precision = precision
        self.variant = variant
        self.dtype = PRECISIONS[precision]
        self.amp = variant == "amp"

    def uniform(self, *shape):
        dtype = torch.float32 if self.amp else self.dtype
        return (torch.rand(*shape, device=self.device) * 2 - 1).to(dtype)

    def integers(self, limit, *shape):
        return torch.randint(0, limit, shape, device=self.device)

    def place(self, model):
        """Puts a model where and into the type in which it is measured."""
        model.to(self.device)
        if not self.amp:
            model.to(self.dtype)
            if self.dtype == torch.float16:
                for module in model.modules():
                    if isinstance(module, (nn.BatchNorm1d, nn.BatchNorm2d)):
                        module.float()
        if self.variant == "channels_last":
            model.to(memory_format=torch.channels_last)
        return model

    def autocast(self):
        return torch.autocast(self.device.type, self.dtype, enabled=self.amp)


class Updater:
    """An optimizer that has float32 copies of other parameters."""

    def __init__(self, model, make_optimizer):
        self.params = list(model.parameters())
        self.low = [p for p in self.params if p.dtype != torch.float32]
        self.masters = [p.detach().float() for p in self.low]
        full = [p for p in self.params if p.dtype == torch.float32]
        self.optimizer = make_optimizer(full + self.masters)
        self.updated = full + self.masters

    def zero_grad(self):
        for p in self.params + self.masters:
            p.grad = None

    def step(self, clip=None):
        for master, p in zip(self.masters, self.low):
            master.grad = p.grad.float()
        if clip is not None:
            nn.utils.clip_grad_norm_(self.updated, clip)
        self.optimizer.step()
        if self.low:
            with torch.no_grad():
                torch._foreach_copy_(self.low, self.masters)


def train(settings, model, x, classes, amount, unit):
    model = settings.place(model)
    t = settings.integers(classes, x.shape[0])
    if settings.variant == "channels_last":
        x = x.contiguous(memory_format=torch.channels_last)
    updater = Updater(model, lambda p: torch.optim.SGD(p, lr=1e-4, momentum=0.9))
    forward = torch.compile(model) if settings.variant == "compile" else model

    def step():
        updater.zero_grad()
        with settings.autocast():
            loss = F.cross_entropy(forward(x), t)
        loss.backward()
        updater.step()
    return step, amount, unit


def train_images(settings, model, shape, classes):
    return train(settings, model, settings.uniform(*shape), classes, shape[0], "images")


def mlp_train(s):
    batch = s.batch or (4 if s.small else 1024)
    return train_images(s, Mlp(16 if s.small else 1000, 10), (batch, 784), 10)


def mlp_step(s):
    return train_images(s, Mlp(16 if s.small else 100, 10), (1, 784), 10)


def lenet_train(s):
    batch = s.batch or (2 if s.small else 256)
    return train_images(s, LeNet(), (batch, 1, 28, 28), 10)


def vgg_train(s):
    batch = s.batch or (2 if s.small else 128)
    return train_images(s, Vgg(10, 4 if s.small else 64), (batch, 3, 32, 32), 10)


def resnet_shape(s):
    side = 32 if s.small else 224
    return s.batch or (2 if s.small else 64), 3, side, side


def resnet50_train(s):
    return train_images(s, ResNet50(), resnet_shape(s), 1000)


def resnet50_infer(s):
    model = s.place(ResNet50()).eval()
    x = s.uniform(*resnet_shape(s))
    if s.variant == "channels_last":
        x = x.contiguous(memory_format=torch.channels_last)
    forward = torch.compile(model) if s.variant == "compile" else model

    def step():
        with torch.no_grad(), s.autocast():
            forward(x)
    return step, x.shape[0], "images"


def train_language_model(s, make_model, steps_first):
    steps, batch, units, words = (3, 2, 8, 20) if s.small else (35, 20, 650, 10000)
    batch = s.batch or batch
    model = s.place(make_model(words, units))
    shape = (steps, batch) if steps_first else (batch, steps)
    x, t = s.integers(words, *shape), s.integers(words, *shape)
    updater = Updater(model, lambda p: torch.optim.SGD(p, lr=0.1))
    loss_of = torch.compile(model.loss) if s.variant == "compile" else model.loss

    def step():
        updater.zero_grad()
        with s.autocast():
            loss = loss_of(x, t)
        loss.backward()
        updater.step(clip=5)
    return step, steps * batch, "words"


def lstm_train(s):
    return train_language_model(s, StepByStep, True)


def nstep_lstm_train(s):
    return train_language_model(s, WholeSequences, False)


def transformer_train(s):
    layers, batch, steps, units, heads = ((2, 2, 4, 8, 2) if s.small
                                          else (6, 32, 128, 512, 8))
    batch = s.batch or batch
    model = nn.Sequential(*(TransformerLayer(batch, steps, units, heads,
                                             s.variant == "sdpa")
                            for _ in range(layers)))
    words = batch * steps
    return train(s, model, s.uniform(words, units), units, words, "words")


def move_bytes(passes, move):
    def prepare(s):
        side = 32 if s.small else 8192
        x = s.uniform(side, side)
        y = x.clone()
        return (lambda: move(x, y)), x.numel() * x.element_size() * passes, "B"
    return prepare


def matmul(s):
    n = 16 if s.small else 4096
    a, b = s.uniform(n, n), s.uniform(n, n)
    return (lambda: a @ b), 2 * n**3, "FLOP"


def launch(s):
    launches = 10 if s.small else 1000
    x = s.uniform(1)

    def step():
        for _ in range(launches):
            x.add_(x)
    return step, launches, "launches"


CONVOLUTION = ["channels_last", "compile", "captured", "amp"]
TRAINING = ["compile", "captured", "amp"]
# name: (prepare, variants, precisions that make a difference)
CASES = {
    "launch": (launch, ["captured"], ["float32"]),
    "copy": (move_bytes(2, lambda x, y: x.clone()), [], None),
    "add": (move_bytes(3, lambda x, y: x + y), [], None),
    "exp": (move_bytes(2, lambda x, y: x.exp()), [], None),
    "sum": (move_bytes(1, lambda x, y: x.sum()), [], None),
    "sum_rows": (move_bytes(1, lambda x, y: x.sum(0)), [], None),
    "sum_columns": (move_bytes(1, lambda x, y: x.sum(1)), [], None),
    "softmax": (move_bytes(2, lambda x, y: x.softmax(1)), [], None),
    "matmul": (matmul, [], list(PRECISIONS)),
    "mlp_step": (mlp_step, TRAINING, list(PRECISIONS)),
    "mlp_train": (mlp_train, TRAINING, list(PRECISIONS)),
    "lenet_train": (lenet_train, CONVOLUTION, list(PRECISIONS)),
    "vgg_train": (vgg_train, CONVOLUTION, list(PRECISIONS)),
    "resnet50_infer": (resnet50_infer, CONVOLUTION, list(PRECISIONS)),
    "resnet50_train": (resnet50_train, CONVOLUTION, list(PRECISIONS)),
    "lstm_train": (lstm_train, TRAINING, list(PRECISIONS)),
    "nstep_lstm_train": (nstep_lstm_train, TRAINING, list(PRECISIONS)),
    "transformer_train": (transformer_train, TRAINING + ["sdpa"], list(PRECISIONS)),
}


# --- Measuring, as gpu_benchmark does ---


def synchronize(device):
    if device.type == "cuda":
        torch.cuda.synchronize(device)


def seconds_of(steps, step, device):
    synchronize(device)
    start = time.perf_counter()
    for _ in range(steps):
        step()
    synchronize(device)
    return time.perf_counter() - start


def measure(step, device, options):
    """(seconds of a step, spread between the rounds relative to it)"""
    if options.small:
        return seconds_of(1, step, device), 0.0
    seconds_of(3, step, device)
    one = seconds_of(1, step, device)
    warmup = max(1, int(options.warmup / one))
    one = seconds_of(warmup, step, device) / warmup
    steps = max(1, int(options.seconds / options.rounds / one))
    times = sorted(seconds_of(steps, step, device) / steps
                   for _ in range(options.rounds))
    median = times[len(times) // 2]
    return median, (times[-1] - times[0]) / median


def capture(step, device):
    """The step as a CUDA graph, after the calls that PyTorch asks for."""
    stream = torch.cuda.Stream(device)
    stream.wait_stream(torch.cuda.current_stream(device))
    with torch.cuda.stream(stream):
        for _ in range(3):
            step()
    torch.cuda.current_stream(device).wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        step()
    return graph.replay


class Report:

    def __init__(self, options):
        self.file = open(options.out, "a", encoding="utf-8") if options.out else None
        self.failed = False
        device = torch.device(options.device)
        name = torch.cuda.get_device_name(device) if device.type == "cuda" else "CPU"
        print(f"# PyTorch {torch.__version__} on {device}: {name}", flush=True)
        self.write({"device": str(device), "name": name, "version": torch.__version__})

    def write(self, record):
        if self.file:
            self.file.write(json.dumps({"program": "PyTorch", **record}) + "\n")
            self.file.flush()

    def add(self, keys, seconds, spread, amount, unit):
        rate = amount / seconds
        print(f"{keys['case']:17} {keys['dtype']:8} {keys['variant']:19} "
              f"{seconds * 1e3:10.4g} ms  +-{spread * 50:2.0f}%  {rate:.4g} {unit}/s",
              flush=True)
        self.write({**keys, "seconds": seconds, "spread": spread, "rate": rate,
                    "unit": f"{unit}/s"})

    def add_error(self, keys, error):
        self.failed = True
        text = " ".join(str(error).split())[:300]
        print(f"{keys['case']:17} {keys['dtype']:8} {keys['variant']:19} error: {text}",
              flush=True)
        self.write({**keys, "error": text})


def measure_case(name, precision, variant, options, report):
    keys = {"case": name, "dtype": precision, "variant": variant}
    prepare = CASES[name][0]
    settings = Settings(options, precision, variant)
    try:
        torch.manual_seed(0)
        if variant == "compile":
            torch.compiler.reset()
        step, amount, unit = prepare(settings)
        if variant == "captured":
            step = capture(step, settings.device)
        seconds, spread = measure(step, settings.device, options)
        report.add(keys, seconds, spread, amount, unit)
    except Exception as error:  # leaves the other cases alone
        report.add_error(keys, error)


def parse_options():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cpu", help="cpu, cuda:0, ...")
    parser.add_argument("--cases", default="*", help="names with * and ?, comma-separated")
    parser.add_argument("--list", action="store_true", help="print the names of the cases")
    parser.add_argument("--dtypes", default="", help="as in gpu_benchmark")
    parser.add_argument("--variants", default=",".join(VARIANTS),
                        help="besides eager mode (%(default)s)")
    parser.add_argument("--autotune", action="store_true",
                        help="cuDNN tries its algorithms (cudnn.benchmark)")
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--batch", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=2)
    parser.add_argument("--warmup", type=float, default=0.5)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--out", default="", help="append the results, as JSON")
    options = parser.parse_args()
    options.cases = options.cases.split(",")
    options.variants = [v for v in options.variants.split(",") if v]
    unknown = set(options.variants) - set(VARIANTS)
    if unknown:
        parser.error(f"--variants: expected some of {VARIANTS}, got {sorted(unknown)}")
    on_gpu = options.device.startswith("cuda")
    options.dtypes = (options.dtypes or
                      (",".join(PRECISIONS) if on_gpu else "float32")).split(",")
    unknown = set(options.dtypes) - set(PRECISIONS)
    if unknown:
        parser.error(f"--dtypes: expected some of {list(PRECISIONS)}, "
                     f"got {sorted(unknown)}")
    if not on_gpu:
        options.variants = [v for v in options.variants if v != "captured"]
    return options


def main():
    options = parse_options()
    names = [name for name in CASES
             if any(fnmatch.fnmatchcase(name, pattern) for pattern in options.cases)]
    if options.list:
        print("\n".join(CASES))
        return
    if not names:
        sys.exit("torch_benchmark: no case matches " + ",".join(options.cases))
    torch.backends.cudnn.benchmark = options.autotune
    report = Report(options)
    for name in names:
        _, variants, precisions = CASES[name]
        for precision in options.dtypes:
            if precision not in (precisions or ["float32", "float16", "bfloat16"]):
                continue
            tf32 = precision == "tf32"
            torch.backends.cuda.matmul.allow_tf32 = tf32
            torch.backends.cudnn.allow_tf32 = tf32
            measure_case(name, precision, "", options, report)
            for variant in variants:
                if variant not in options.variants:
                    continue
                if variant == "amp" and precision not in ("float16", "bfloat16"):
                    continue
                measure_case(name, precision, variant, options, report)
    sys.exit(1 if report.failed else 0)


if __name__ == "__main__":
    main()
