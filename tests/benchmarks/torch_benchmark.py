#!/usr/bin/env python3
"""The work of device_benchmark with PyTorch: same cases, shapes, types, and counting.

    python3 torch_benchmark.py --device=cuda:0 --out=torch.jsonl

Plain eager mode, and as variants, unless --variants names a few, alone or together
("channels_last captured"):

    channels_last   convolutional networks with images in this memory format
    captured        the whole step as a CUDA graph, into which each minibatch is copied
    sdpa            attention by scaled_dot_product_attention

and a second set, which changes what is computed:

    compile         torch.compile; for inference, with batch normalization frozen
    amp             autocast and float32 parameters, for float16 and bfloat16
    onnxruntime     inference by ONNX Runtime on the CPU, where it is installed

As in catena, float16 and bfloat16 parameters have float32 copies that the optimizer
updates, and batch normalization with float16 has float32 parameters. The networks are
those of networks.h, and the cases those of cases.h: change both.
"""

import argparse
import fnmatch
import gc
import importlib.util
import io
import itertools
import json
import math
import pathlib
import re
import sys
import time

import torch
import torch.nn.functional as F
from torch import nn

PRECISIONS = {"float32": torch.float32, "tf32": torch.float32,
              "float16": torch.float16, "bfloat16": torch.bfloat16}
# The words of variants that belong to the second set.
SECOND_SET = {"compile", "amp", "onnxruntime"}


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
        h = F.max_pool2d(F.relu(self.conv1(x)), 2)
        h = F.max_pool2d(F.relu(self.conv2(h)), 2)
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
        h1, c1, h2, c2 = (state.clone() for state in self.state)
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
    LAYERS, STATES = nn.LSTM, 2

    def __init__(self, words, units):
        super().__init__()
        self.embed = nn.Embedding(words, units)
        self.layers = self.LAYERS(units, units, 2, batch_first=True, dropout=0.5)
        self.l3 = nn.Linear(units, words)
        self.state = None

    def loss(self, x, t):
        if self.state is None:
            zeros = torch.zeros(2, x.shape[0], self.layers.hidden_size, device=x.device,
                                dtype=self.l3.weight.dtype)
            self.state = [zeros.clone() for _ in range(self.STATES)]
        old_state = tuple(state.clone() for state in self.state)
        h, state = self.layers(F.dropout(self.embed(x)),
                               old_state if self.STATES == 2 else old_state[0])
        with torch.no_grad():
            for old, new in zip(self.state, state if self.STATES == 2 else [state]):
                old.copy_(new)
        scores = self.l3(F.dropout(h.flatten(0, 1)))
        return F.cross_entropy(scores, t.flatten()) * x.shape[1]


class WholeSequencesOfGru(WholeSequences):
    LAYERS, STATES = nn.GRU, 1


class WholeSequencesOfRnn(WholeSequences):
    LAYERS, STATES = nn.RNN, 1  # of tanh


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


class GptBlock(nn.Module):

    def __init__(self, units, heads, sdpa):
        super().__init__()
        self.heads, self.sdpa = heads, sdpa
        self.norm1 = nn.LayerNorm(units)
        self.qkv = nn.Linear(units, 3 * units)
        self.out = nn.Linear(units, units)
        self.norm2 = nn.LayerNorm(units)
        self.layer1 = nn.Linear(units, 4 * units)
        self.layer2 = nn.Linear(4 * units, units)

    def attention(self, x, cache, begin):
        q, k, v = (part.unflatten(2, (self.heads, -1)).transpose(1, 2)
                   for part in self.qkv(x).chunk(3, dim=2))
        causal = q.shape[2] > 1
        if cache is not None:
            end = begin + k.shape[2]
            for old, new in zip(cache, (k, v)):
                old[:, :, begin:end] = new
            k, v = (old[:, :, :end] for old in cache)
        if self.sdpa:
            y = F.scaled_dot_product_attention(q, k, v, is_causal=causal)
        else:
            scores = q @ k.transpose(2, 3) / math.sqrt(q.shape[3])
            if causal:
                future = torch.ones(scores.shape[2:], dtype=torch.bool,
                                    device=x.device).triu(1)
                scores = scores.masked_fill(future, -math.inf)
            y = scores.softmax(3) @ v
        return self.out(y.transpose(1, 2).flatten(2))

    def forward(self, x, cache=None, begin=0):
        h = x + self.attention(self.norm1(x), cache, begin)
        return h + self.layer2(F.gelu(self.layer1(self.norm2(h)), approximate="tanh"))


class Gpt(nn.Module):

    def __init__(self, vocabulary, context, units, heads, layers, sdpa):
        super().__init__()
        self.shape = (1, heads, context, units // heads)
        self.tokens = nn.Embedding(vocabulary, units)
        self.positions = nn.Embedding(context, units)
        self.blocks = nn.ModuleList(GptBlock(units, heads, sdpa) for _ in range(layers))
        self.norm = nn.LayerNorm(units)
        for embedding in (self.tokens, self.positions):
            nn.init.normal_(embedding.weight, std=0.02)

    def forward(self, ids, caches=None, begin=0):
        places = torch.arange(begin, begin + ids.shape[1], device=ids.device)
        h = self.tokens(ids) + self.positions(places)
        for i, block in enumerate(self.blocks):
            h = block(h, caches and caches[i], begin)
        return self.norm(h) @ self.tokens.weight.t()


class Lora(nn.Module):
    """A linear layer that is frozen, with an update of low rank."""

    def __init__(self, layer, rank, alpha=16):
        super().__init__()
        self.layer, self.scale = layer, alpha / rank
        self.a = nn.Parameter(torch.randn(rank, layer.in_features)
                              / math.sqrt(layer.in_features))
        self.b = nn.Parameter(torch.zeros(layer.out_features, rank))

    def forward(self, x):
        return self.layer(x) + self.scale * F.linear(F.linear(x, self.a), self.b)


def add_lora(model, rank):
    model.requires_grad_(False)
    for block in model.blocks:
        block.qkv, block.out = Lora(block.qkv, rank), Lora(block.out, rank)


# --- Steps ---


class Settings:
    """What a case is measured with."""

    def __init__(self, options, precision, variant):
        self.device = torch.device(options.device)
        self.small = options.small
        self.batch = options.batch
        self.precision = precision
        self.words = variant.split()
        self.dtype = PRECISIONS[precision]
        self.amp = "amp" in self.words

    def size(self, small, gpu, cpu):
        if self.small:
            return small
        return gpu if self.device.type == "cuda" else cpu

    def batch_of(self, small, gpu, cpu):
        return self.batch or self.size(small, gpu, cpu)

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
        if "channels_last" in self.words:
            model.to(memory_format=torch.channels_last)
        return model

    def autocast(self):
        return torch.autocast(self.device.type, self.dtype, enabled=self.amp)

    def adam(self, params):
        return torch.optim.Adam(params, fused=True, capturable="captured" in self.words)


class Updater:
    """An optimizer that has float32 copies of other parameters."""

    def __init__(self, model, make_optimizer):
        self.params = [p for p in model.parameters() if p.requires_grad]
        self.low = [p for p in self.params if p.dtype != torch.float32]
        self.masters = [p.detach().float() for p in self.low]
        for master in self.masters:
            master.grad = torch.empty_like(master)
        full = [p for p in self.params if p.dtype == torch.float32]
        self.updated = full + self.masters
        self.optimizer = make_optimizer(self.updated)

    def zero_grad(self):
        for p in self.params:
            p.grad = None

    def step(self, clip=None):
        with torch.no_grad():
            if self.low:
                torch._foreach_copy_([master.grad for master in self.masters],
                                     [p.grad for p in self.low])
            if clip is not None:
                nn.utils.clip_grad_norm_(self.updated, clip)
            self.optimizer.step()
            if self.low:
                torch._foreach_copy_(self.low, self.masters)


class Training:
    """Training steps: each takes the next minibatch and works on it."""

    def __init__(self, next_batch, work):
        self.next_batch = next_batch
        self.work = work

    def __call__(self):
        self.work(*self.next_batch())


class Pool:
    """Random examples and labels; minibatches of them take turns."""

    def __init__(self, settings, batches, shape, classes):
        self.batch = shape[0]
        count = batches * shape[0]
        self.x = settings.uniform(count, *shape[1:])
        self.t = settings.integers(classes, count)
        if "channels_last" in settings.words:
            self.x = self.x.contiguous(memory_format=torch.channels_last)
        self.begin = 0

    def next(self):
        part = slice(self.begin, self.begin + self.batch)
        self.begin = (self.begin + self.batch) % len(self.t)
        return self.x[part], self.t[part]


def momentum(params):
    return torch.optim.SGD(params, lr=1e-4, momentum=0.9)


def train(settings, model, make_optimizer, pool, amount, unit):
    model = settings.place(model)
    updater = Updater(model, make_optimizer)
    forward = torch.compile(model) if "compile" in settings.words else model

    def work(x, t):
        updater.zero_grad()
        with settings.autocast():
            loss = F.cross_entropy(forward(x), t)
        loss.backward()
        updater.step()
    return Training(pool.next, work), amount, unit


def train_images(settings, model, make_optimizer, pool):
    return train(settings, model, make_optimizer, pool, pool.batch, "images")


def digits(s, batch):
    return Pool(s, 2 if s.small else 100, (batch, 784), 10)


def mlp_train(s):
    return train_images(s, Mlp(16 if s.small else 1000, 10), s.adam,
                        digits(s, s.batch_of(4, 1024, 100)))


def small_mlp_train(s):
    return train_images(s, Mlp(16 if s.small else 100, 10),
                        lambda p: torch.optim.SGD(p, lr=1e-4),
                        digits(s, s.batch_of(4, 100, 100)))


def mlp_step(s):
    return train_images(s, Mlp(16 if s.small else 100, 10), momentum, digits(s, 1))


def lenet_train(s):
    shape = s.batch_of(2, 256, 64), 1, 28, 28
    return train_images(s, LeNet(), momentum, Pool(s, 2 if s.small else 100, shape, 10))


def vgg_train(s):
    shape = s.batch_of(2, 128, 32), 3, 32, 32
    return train_images(s, Vgg(10, 4 if s.small else 64), momentum,
                        Pool(s, 2 if s.small else 10, shape, 10))


def resnet_shape(s, batch):
    side = 32 if s.small else 224
    return batch, 3, side, side


def resnet50_train(s):
    shape = resnet_shape(s, s.batch_of(2, 64, 4))
    return train_images(s, ResNet50(), momentum, Pool(s, 2 if s.small else 4, shape, 1000))


def onnx_runtime(model, x):
    """The step by ONNX Runtime, with as many threads as PyTorch has."""
    import onnxruntime
    file = io.BytesIO()
    torch.onnx.export(model, (x,), file, dynamo=False, input_names=["x"])
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = torch.get_num_threads()
    session = onnxruntime.InferenceSession(file.getvalue(), options,
                                           providers=["CPUExecutionProvider"])
    inputs = {"x": x.numpy()}
    return lambda: session.run(None, inputs)


def infer(s, batch):
    model = s.place(ResNet50()).eval()
    x = s.uniform(*resnet_shape(s, batch))
    if "channels_last" in s.words:
        x = x.contiguous(memory_format=torch.channels_last)
    if "onnxruntime" in s.words:
        return onnx_runtime(model, x), batch, "images"
    # Frozen weights take in batch normalization, as those of catena's plan do.
    forward = (torch.compile(model, options={"freezing": True})
               if "compile" in s.words else model)

    def step():
        with torch.no_grad(), s.autocast():
            forward(x)
    return step, batch, "images"


def resnet50_infer(s):
    return infer(s, s.batch_of(2, 64, 8))


def resnet50_infer_one(s):
    return infer(s, 1)


def train_language_model(s, make_model, steps_first):
    steps, batch, units, words = (3, 2, 8, 20) if s.small else (35, 20, 650, 10000)
    batch = s.batch or batch
    model = s.place(make_model(words, units))
    shape = (steps, batch) if steps_first else (batch, steps)
    x, t = s.integers(words, *shape), s.integers(words, *shape)
    updater = Updater(model, lambda p: torch.optim.SGD(p, lr=0.1))
    loss_of = torch.compile(model.loss) if "compile" in s.words else model.loss

    def work(x, t):
        updater.zero_grad()
        with s.autocast():
            loss = loss_of(x, t)
        loss.backward()
        updater.step(clip=5)
    return Training(lambda: (x, t), work), steps * batch, "words"


def lstm_train(s):
    return train_language_model(s, StepByStep, True)


def nstep_lstm_train(s):
    return train_language_model(s, WholeSequences, False)


def nstep_gru_train(s):
    return train_language_model(s, WholeSequencesOfGru, False)


def nstep_rnn_train(s):
    return train_language_model(s, WholeSequencesOfRnn, False)


class Alias:
    """Draws i with probability p[i] by Walker's alias method."""

    def __init__(self, weights, device):
        n = len(weights)
        p = [w * n / sum(weights) for w in weights]
        below, alias = [1.0] * n, list(range(n))
        small = [i for i in range(n) if p[i] < 1]
        large = [i for i in range(n) if p[i] >= 1]
        while small and large:
            i, j = small.pop(), large.pop()
            below[i], alias[i] = p[i], j
            p[j] -= 1 - p[i]
            (small if p[j] < 1 else large).append(j)
        self.below = torch.tensor(below, device=device)
        self.alias = torch.tensor(alias, device=device)

    def sample(self, *shape):
        column = torch.randint(len(self.below), shape, device=self.below.device)
        draw = torch.rand(shape, device=self.below.device)
        return torch.where(draw < self.below[column], column, self.alias[column])


def word2vec_train(s):
    words, length, units = (20, 100, 8) if s.small else (10000, 100000, 100)
    window, negative = 5, 5
    batch = s.batch_of(4, 1000, 1000)
    weights = [1 / (i + 10) for i in range(words)]
    text = Alias(weights, s.device).sample(length)
    order = torch.randperm(length - 2 * window, device=s.device) + window
    offsets = torch.tensor([i for i in range(-window, window + 1) if i != 0],
                           device=s.device)
    sampler = Alias([int(1e6 * w)**0.75 for w in weights], s.device)
    embed = nn.Embedding(words, units).to(s.device)
    out = torch.zeros(words, units, device=s.device, requires_grad=True)
    optimizer = s.adam([embed.weight, out])
    sign = torch.tensor([[1.0] + [-1.0] * negative], device=s.device)
    pairs = batch * 2 * window
    begin = 0

    def next_batch():
        nonlocal begin
        if begin + batch > len(order):
            begin = 0
        position = order[begin:begin + batch]
        begin += batch
        context = text[position[:, None] + offsets].flatten()
        return context, text[position][:, None].expand(batch, 2 * window).reshape(pairs, 1)

    def work(context, center):
        samples = torch.cat([center, sampler.sample(pairs, negative)], dim=1)
        scores = (F.embedding(samples, out) @ embed(context)[:, :, None])[:, :, 0]
        loss = F.softplus(-scores * sign).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return Training(next_batch, work), pairs, "pairs"


def transformer_train(s):
    layers, batch, steps, units, heads = ((2, 2, 4, 8, 2) if s.small
                                          else (6, 32, 128, 512, 8))
    batch = s.batch_of(batch, batch, 4)
    model = nn.Sequential(*(TransformerLayer(batch, steps, units, heads,
                                             "sdpa" in s.words)
                            for _ in range(layers)))
    words = batch * steps
    return train(s, model, momentum,
                 Pool(s, 2 if s.small else 10, (words, units), units), words, "words")


SMALL_GPT = (20, 8, 8, 2, 2)
GPT2 = (50257, 1024, 768, 12, 12)


def train_gpt(s, sizes, batch, length, lora_rank=None):
    model = Gpt(*sizes, "sdpa" in s.words)
    if lora_rank is not None:
        add_lora(model, lora_rank)
    s.place(model)
    updater = Updater(model, lambda params: torch.optim.AdamW(
        params, lr=1e-4, weight_decay=0.1, fused=True, capturable="captured" in s.words))
    forward = torch.compile(model) if "compile" in s.words else model
    batches = itertools.cycle([[s.integers(sizes[0], batch, length) for _ in range(2)]
                               for _ in range(10)])

    def work(x, t):
        updater.zero_grad()
        with s.autocast():
            loss = F.cross_entropy(forward(x).flatten(0, 1), t.flatten())
        loss.backward()
        updater.step(clip=1)
    return Training(lambda: next(batches), work), batch * length, "tokens"


def gpt_char_train(s):
    sizes = s.size(SMALL_GPT, (65, 256, 384, 6, 6), (65, 64, 128, 4, 4))
    return train_gpt(s, sizes, s.batch_of(2, 64, 12), sizes[1])


def gpt2_train(s, lora_rank=None):
    return train_gpt(s, SMALL_GPT if s.small else GPT2, s.batch_of(2, 16, 4),
                     s.size(8, 1024, 64), lora_rank)


def gpt2_lora_train(s):
    return gpt2_train(s, lora_rank=8)


def gpt2_generate(s):
    sizes = SMALL_GPT if s.small else GPT2
    model = s.place(Gpt(*sizes, True)).eval()
    dtype = next(model.parameters()).dtype
    caches = [[torch.zeros(model.shape, device=s.device, dtype=dtype) for _ in range(2)]
              for _ in model.blocks]
    begin = 2 if s.small else 64
    forward = torch.compile(model) if "compile" in s.words else model
    state = [s.integers(sizes[0], 1, begin), 0]

    def step():
        ids, length = state
        if length == 2 * begin:
            length = begin
        with torch.no_grad(), s.autocast():
            scores = forward(ids, caches, length)
        state[:] = scores[:, -1:].argmax(2), length + ids.shape[1]
    return step, 1, "tokens"


def attention(length, both_ways):
    """Causal; flops are those of the products of all scores that are seen."""
    def prepare(s):
        batch = s.batch_of(1, 8 if length <= 2048 else 1, 1)
        heads, count, size = (2, 10, 8) if s.small else (12, length, 64)
        q, k, v = inputs = [s.uniform(batch, heads, count, size) for _ in range(3)]
        gy = torch.rand_like(q)

        def step():
            if not both_ways:
                with torch.no_grad():
                    return F.scaled_dot_product_attention(q, k, v, is_causal=True)
            for x in inputs:
                x.requires_grad_()
                x.grad = None
            F.scaled_dot_product_attention(q, k, v, is_causal=True).backward(gy)
        scores = batch * heads * (count * (count + 1) // 2)
        return step, scores * size * (14 if both_ways else 4), "FLOP"
    return prepare, [], list(PRECISIONS)


def adam_step(s):
    count, shape = (2, (5, 10)) if s.small else (50, (500, 1000))
    params = [torch.full(shape, 0.5, device=s.device, requires_grad=True)
              for _ in range(count)]
    for p in params:
        p.grad = torch.full_like(p, 0.01)
    return s.adam(params).step, count * shape[0] * shape[1] * 7 * 4, "B"


# --- Small operations ---


def operations(s):
    return 10 if s.small else 1000


def chain_work(s, run):
    x = torch.ones(10, device=s.device, requires_grad=True)
    factor = torch.full_like(x, 0.9999, requires_grad=False)
    term = torch.full_like(x, 0.0001, requires_grad=False)

    def chain():
        h = x
        for _ in range(operations(s) // 2):
            h = h * factor
            h = h + term
        return h
    return (lambda: run(x, chain)), operations(s), "operations"


def ops_forward(s):
    return chain_work(s, lambda x, chain: chain())


def ops_both_ways(s):
    def run(x, chain):
        x.grad = None
        chain().backward(torch.ones_like(x))
    return chain_work(s, run)


def ops_without_graph(s):
    def run(x, chain):
        with torch.no_grad():
            chain()
    return chain_work(s, run)


def launch(s):
    launches = operations(s)
    x = s.uniform(1)

    def step():
        for _ in range(launches):
            x.add_(x)
    return step, launches, "launches"


# --- Memory ---


def move_bytes(x, passes, move):
    return (lambda: move(x)), x.numel() * x.element_size() * passes, "B"


def matrix(s):
    side = s.size(32, 8192, 4096)
    return s.uniform(side, side)


def move_matrix(passes, move, others=0):
    """`move` gets the matrix and as many others."""
    def prepare(s):
        more = [matrix(s) for _ in range(others)]
        return move_bytes(matrix(s), passes, lambda x: move(x, *more))
    return prepare


def add_row(s):
    x = matrix(s)
    row = s.uniform(x.shape[1])
    return move_bytes(x, 2, lambda x: x + row)


def multiply_add_out(s):
    y, z, out = matrix(s), matrix(s), matrix(s)

    def move(x):
        torch.mul(x, y, out=out)
        out.add_(z)
    return move_bytes(matrix(s), 4, move)


def from_float16(s):
    return move_bytes(matrix(s).half(), 3, lambda x: x.float())


def values(s):
    return s.uniform(s.size(1000, 1 << 26, 1 << 22))


def take(s):
    x = values(s)
    indices = s.integers(x.numel(), x.numel()).int()
    return ((lambda: x.index_select(0, indices)),
            2 * x.numel() * x.element_size() + indices.numel() * 4, "B")


def sort(s):
    x = values(s)
    return (lambda: x.sort()), x.numel(), "elements"


def cumsum(s):
    return move_bytes(values(s), 2, lambda x: x.cumsum(0))


# --- Reductions ---


def reductions(name, reduce, dtype=None):
    """Cases: of all elements, along the columns, along the rows."""
    def case(dim):
        def prepare(s):
            return move_bytes(matrix(s).to(dtype or s.dtype), 1, lambda x: reduce(x, dim))
        return prepare, [], ["float32"] if dtype else None
    return {name: case((0, 1)), f"{name}_rows": case(0), f"{name}_columns": case(1)}


def for_one_axis(reduce):
    """Of functions that reduce along one axis or all."""
    return lambda x, dim: reduce(x) if isinstance(dim, tuple) else reduce(x, dim)


REDUCTIONS = {
    **reductions("sum", torch.sum),
    **reductions("sum_int32", torch.sum, torch.int32),
    **reductions("sum_float64", torch.sum, torch.float64),
    **reductions("max", torch.amax),
    **reductions("max_int32", torch.amax, torch.int32),
    **reductions("argmax", for_one_axis(torch.argmax)),
    **reductions("prod", for_one_axis(torch.prod)),
    **reductions("mean", torch.mean),
    **reductions("var", lambda x, dim: torch.var(x, dim, correction=0)),
    **reductions("all", torch.all),
    **reductions("logsumexp", torch.logsumexp),
}


# --- Functions of rows ---


def rows(s, columns=1000):
    return s.uniform(s.size(32, 8192, 4096) * 1000 // columns,
                     10 if s.small else columns)


def row_function(name, function):
    """Cases of 1,000 and of 32,000 columns, forward and in both directions."""
    def case(columns, both_ways):
        def prepare(s):
            x = rows(s, columns)
            if not both_ways:
                return move_bytes(x, 2, function(x))
            x.requires_grad_()
            gy = torch.rand_like(x)
            run = function(x)
            return move_bytes(x, 5, lambda x: torch.autograd.grad(run(x), x, gy))
        return prepare, [], None
    return {f"{name}{suffix}{direction}": case(columns, bool(direction))
            for suffix, columns in [("", 1000), ("_32000", 32000)]
            for direction in ["", "_both_ways"]}


def layer_normalization(x):
    gamma, beta = torch.ones_like(x[0]), torch.zeros_like(x[0])
    return lambda x: F.layer_norm(x, gamma.shape, gamma, beta)


def softmax_of_pixels(s):
    side = 4 if s.small else 224
    x = s.uniform(s.batch_of(2, 32, 8), 21, side, side).requires_grad_()
    gy = torch.rand_like(x)
    return move_bytes(x, 5, lambda x: torch.autograd.grad(x.softmax(1), x, gy))


def cross_entropy(columns, both_ways):
    def prepare(s):
        x = rows(s, columns).requires_grad_(both_ways)
        t = s.integers(x.shape[1], x.shape[0])

        def move(x):
            x.grad = None
            loss = F.cross_entropy(x, t)
            if both_ways:
                loss.backward()
        return move_bytes(x, 3 if both_ways else 1, move)
    return prepare, [], None


# --- Products ---


def matmul(s):
    n = s.size(16, 4096, 2048)
    a, b = s.uniform(n, n), s.uniform(n, n)
    return (lambda: a @ b), 2 * n**3, "FLOP"


def small_matmuls(s):
    n = 8 if s.small else 128
    a, b = s.uniform(64, n, n), s.uniform(64, n, n)
    return (lambda: a @ b), 64 * 2 * n**3, "FLOP"


# --- Functions of images ---


def in_layout(s, x):
    """Images, or weights, in the memory format of the variant."""
    return x.contiguous(memory_format=torch.channels_last if "channels_last" in s.words
                        else torch.contiguous_format)


def images(s, channels, side):
    if s.small:
        channels, side = 4, 8
    return in_layout(s, s.uniform(s.batch_of(2, 64, 8), channels, side, side))


def image_function(name, prepare, passes, channels, side, inputs=1):
    """Cases of a function forward, and in both directions.

    `prepare` gets the settings and the images, and returns the function and its
    parameters; `passes` says how often x's bytes are moved in either case.
    """
    def case(both_ways):
        def run(s):
            xs = [images(s, channels, side) for _ in range(inputs)]
            function, parameters = prepare(s, xs[0])
            if not both_ways:
                def forward(x):
                    with torch.no_grad():
                        function(*xs)
                return move_bytes(xs[0], passes[0], forward)
            leaves = [x.requires_grad_() for x in [*xs, *parameters]]
            gy = torch.rand_like(function(*xs))
            return move_bytes(xs[0], passes[1], lambda x: torch.autograd.grad(
                function(*xs), leaves, gy))
        return run, ["channels_last"], None
    return {name: case(False), f"{name}_both_ways": case(True)}


def batch_normalization(s, x):
    dtype = torch.float32 if s.dtype == torch.float16 else s.dtype
    gamma, var = (torch.ones(x.shape[1], device=s.device, dtype=dtype) for _ in range(2))
    beta, mean = (torch.zeros_like(gamma) for _ in range(2))

    def function(x, residual=None):
        y = F.batch_norm(x, mean, var, gamma, beta, training=True, eps=2e-5)
        return y if residual is None else F.relu(y + residual)
    return function, [gamma, beta]


IMAGES = {
    **image_function("batch_normalization", batch_normalization, (3, 8), 256, 56),
    **image_function("batch_normalization_residual", batch_normalization, (4, 12), 256, 56,
                     inputs=2),
    **image_function("max_pooling", lambda s, x: (
        lambda x: F.max_pool2d(x, 3, 2, padding=1), []), (1.25, 2.5), 64, 112),
    **image_function("average_pooling", lambda s, x: (
        lambda x: F.avg_pool2d(x, 3, 2, padding=1), []), (1.25, 2.5), 64, 112),
}


def convolution(s):
    x, gy = images(s, 64, 56), images(s, 64, 56)
    channels = x.shape[1]
    w = in_layout(s, s.uniform(channels, channels, 3, 3))
    x.requires_grad_()
    w.requires_grad_()

    def step():
        y = F.conv2d(x, w, padding=1)
        torch.autograd.grad(y, (x, w), gy)
    return step, 3 * 2 * 9 * channels * x.numel(), "FLOP"


def concat(s):
    xs = [images(s, 64, 56) for _ in range(4)]
    return ((lambda: torch.cat(xs, 1)), 2 * 4 * xs[0].numel() * xs[0].element_size(), "B")


def concat_rows(s):
    side = s.size(64, 8192, 4096)
    parts = [s.uniform(side // 64, side) for _ in range(64)]
    return ((lambda: torch.cat(parts)), 2 * side * side * parts[0].element_size(), "B")


def with_captured(*variants):
    """The variants as they are and captured, and captured plain eager mode."""
    return ["captured", *(v for name in variants for v in (name, f"{name} captured"))]


TRAINING = with_captured("compile", "amp")
CONVOLUTION = with_captured("channels_last", "compile", "channels_last compile", "amp",
                            "channels_last amp")
INFERENCE = CONVOLUTION + ["onnxruntime"]
GPT_TRAINING = with_captured("sdpa", "compile", "sdpa compile", "amp")
# name: (prepare, variants, precisions that make a difference)
CASES = {
    "launch": (launch, ["captured"], ["float32"]),
    "ops_forward": (ops_forward, [], ["float32"]),
    "ops_both_ways": (ops_both_ways, [], ["float32"]),
    "ops_without_graph": (ops_without_graph, [], ["float32"]),
    "copy": (move_matrix(2, lambda x: x.clone()), [], None),
    "add": (move_matrix(3, lambda x, y: x + y, 1), [], None),
    "multiply_add": (move_matrix(4, lambda x, y, z: x * y + z, 2), [], None),
    "multiply_add_out": (multiply_add_out, [], None),
    "add_row": (add_row, [], None),
    "exp": (move_matrix(2, lambda x: x.exp()), [], None),
    "tanh": (move_matrix(2, lambda x: x.tanh()), [], None),
    "relu": (move_matrix(2, lambda x: x.relu()), [], None),
    "to_float16": (move_matrix(1.5, lambda x: x.half()), [], ["float32"]),
    "from_float16": (from_float16, [], ["float32"]),
    "transpose": (move_matrix(2, lambda x: x.t().contiguous()), [], None),
    "sort": (sort, [], ["float32"]),
    "take": (take, [], ["float32"]),
    "cumsum": (cumsum, [], ["float32"]),
    **REDUCTIONS,
    **row_function("softmax", lambda x: lambda x: x.softmax(1)),
    **row_function("log_softmax", lambda x: lambda x: x.log_softmax(1)),
    **row_function("layer_normalization", layer_normalization),
    "softmax_of_pixels": (softmax_of_pixels, [], None),
    "cross_entropy": cross_entropy(1000, False),
    "cross_entropy_both_ways": cross_entropy(1000, True),
    "cross_entropy_32000": cross_entropy(32000, False),
    "cross_entropy_32000_both_ways": cross_entropy(32000, True),
    "matmul": (matmul, [], list(PRECISIONS)),
    "small_matmuls": (small_matmuls, [], list(PRECISIONS)),
    **IMAGES,
    "convolution": (convolution, ["channels_last"], list(PRECISIONS)),
    "concat": (concat, ["channels_last"], None),
    "concat_rows": (concat_rows, [], None),
    "mlp_step": (mlp_step, TRAINING, list(PRECISIONS)),
    "mlp_train": (mlp_train, TRAINING, list(PRECISIONS)),
    "small_mlp_train": (small_mlp_train, TRAINING, list(PRECISIONS)),
    "lenet_train": (lenet_train, CONVOLUTION, list(PRECISIONS)),
    "vgg_train": (vgg_train, CONVOLUTION, list(PRECISIONS)),
    "resnet50_infer": (resnet50_infer, INFERENCE, list(PRECISIONS)),
    "resnet50_infer_one": (resnet50_infer_one, INFERENCE, list(PRECISIONS)),
    "resnet50_train": (resnet50_train, CONVOLUTION, list(PRECISIONS)),
    "lstm_train": (lstm_train, TRAINING, list(PRECISIONS)),
    "nstep_lstm_train": (nstep_lstm_train, TRAINING, list(PRECISIONS)),
    "nstep_gru_train": (nstep_gru_train, TRAINING, list(PRECISIONS)),
    "nstep_rnn_train": (nstep_rnn_train, TRAINING, list(PRECISIONS)),
    "word2vec_train": (word2vec_train, ["captured"], ["float32"]),
    "transformer_train": (transformer_train, with_captured("sdpa", "compile", "amp"),
                          list(PRECISIONS)),
    "adam_step": (adam_step, ["captured"], ["float32"]),
    "attention": attention(2048, False),
    "attention_both_ways": attention(2048, True),
    "attention_16384_both_ways": attention(16384, True),
    "gpt_char_train": (gpt_char_train, GPT_TRAINING, list(PRECISIONS)),
    "gpt2_train": (gpt2_train, GPT_TRAINING, list(PRECISIONS)),
    "gpt2_lora_train": (gpt2_lora_train, GPT_TRAINING, list(PRECISIONS)),
    "gpt2_generate": (gpt2_generate, ["compile", "amp"], list(PRECISIONS)),
}


# --- Measuring, as device_benchmark does ---


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
    """The step as a CUDA graph, after the calls that PyTorch asks for.

    Each replay of a training step first copies the next minibatch in.
    """
    inputs, work = [], step
    if isinstance(step, Training):
        inputs = [x.clone() for x in step.next_batch()]

        def work():
            step.work(*inputs)
    stream = torch.cuda.Stream(device)
    stream.wait_stream(torch.cuda.current_stream(device))
    with torch.cuda.stream(stream):
        for _ in range(3):
            work()
    torch.cuda.current_stream(device).wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        work()

    def replay():
        if inputs:
            for old, new in zip(inputs, step.next_batch()):
                old.copy_(new)
        graph.replay()
    return replay


def versions(device):
    """PyTorch's and, on a GPU, those of its libraries."""
    text = torch.__version__
    if device.type == "cuda":
        text += f", CUDA {torch.version.cuda}, cuDNN {torch.backends.cudnn.version()}"
    return text


class Report:

    def __init__(self, options):
        self.file = open(options.out, "a", encoding="utf-8") if options.out else None
        self.failed = False
        device = torch.device(options.device)
        name = torch.cuda.get_device_name(device) if device.type == "cuda" else "CPU"
        print(f"# PyTorch {versions(device)} on {device}: {name}", flush=True)
        self.write({"device": str(device), "name": name, "version": versions(device)})

    def write(self, record):
        if self.file:
            self.file.write(json.dumps({"program": "PyTorch", **record}) + "\n")
            self.file.flush()

    def add(self, keys, seconds, spread, amount, unit, memory):
        rate = amount / seconds
        peak = {} if memory is None else {"memory": memory}
        print(f"{keys['case']:35} {keys['dtype']:8} {keys['variant']:28} "
              f"{seconds * 1e3:10.4g} ms  +-{spread * 50:2.0f}%  {rate:.4g} {unit}/s" +
              (f", {memory >> 20} MiB" if peak else ""), flush=True)
        self.write({**keys, "seconds": seconds, "spread": spread, "rate": rate,
                    "unit": f"{unit}/s", **peak})

    def add_error(self, keys, error):
        self.failed = True
        text = " ".join(str(error).split())[:300]
        print(f"{keys['case']:35} {keys['dtype']:8} {keys['variant']:28} error: {text}",
              flush=True)
        self.write({**keys, "error": text})


def peak_of_process():
    """Bytes of the process at most, as nn_benchmark has it: measure one case a process."""
    status = pathlib.Path("/proc/self/status").read_text()
    return int(re.search(r"VmHWM:\s*(\d+)", status)[1]) << 10


def measure_case(name, precision, variant, options, report):
    keys = {"case": name, "dtype": precision, "variant": variant}
    prepare = CASES[name][0]
    settings = Settings(options, precision, variant)
    on_gpu = settings.device.type == "cuda"
    try:
        torch.manual_seed(0)
        gc.collect()
        if on_gpu:
            torch.cuda.empty_cache()
            torch.cuda.reset_peak_memory_stats(settings.device)
        else:
            pathlib.Path("/proc/self/clear_refs").write_text("5")  # the peak
        if "compile" in settings.words:
            torch.compiler.reset()
        step, amount, unit = prepare(settings)
        if "captured" in settings.words:
            step = capture(step, settings.device)
        seconds, spread = measure(step, settings.device, options)
        memory = (torch.cuda.max_memory_allocated(settings.device) if on_gpu else
                  peak_of_process())
        report.add(keys, seconds, spread, amount, unit, memory)
    except Exception as error:  # leaves the other cases alone
        report.add_error(keys, error)


def chosen_variants(name, precision, options):
    """The variants of a case that are wanted and make a difference, eager mode first."""
    chosen = [""]
    for variant in CASES[name][1]:
        words = variant.split()
        if "amp" in words and precision not in ("float16", "bfloat16"):
            continue
        if "onnxruntime" in words and precision != "float32":
            continue
        if variant in options.variants:
            chosen.append(variant)
    return chosen


def parse_options(arguments=None):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cpu", help="cpu, cuda:0, ...")
    parser.add_argument("--cases", default="*", help="names with * and ?, comma-separated")
    parser.add_argument("--list", action="store_true", help="print the names of the cases")
    parser.add_argument("--dtypes", default="", help="as in device_benchmark")
    parser.add_argument("--variants", help="besides eager mode, comma-separated (all of "
                        "them); 'first' and 'second' for those of a set")
    parser.add_argument("--autotune", action="store_true",
                        help="cuDNN tries its algorithms (cudnn.benchmark)")
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--batch", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=2)
    parser.add_argument("--warmup", type=float, default=0.5)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--out", default="", help="append the results, as JSON")
    options = parser.parse_args(arguments)
    options.cases = options.cases.split(",")
    every = sorted({variant for _, variants, _ in CASES.values() for variant in variants})
    second = {variant for variant in every if SECOND_SET & set(variant.split())}
    sets = {None: every, "first": set(every) - second, "second": second}
    options.variants = set(sets[options.variants] if options.variants in sets else
                           filter(None, options.variants.split(",")))
    unknown = options.variants - set(every)
    if unknown:
        parser.error(f"--variants: expected some of {every}, got {sorted(unknown)}")
    on_gpu = options.device.startswith("cuda")
    options.dtypes = (options.dtypes or
                      (",".join(PRECISIONS) if on_gpu else "float32")).split(",")
    unknown = set(options.dtypes) - set(PRECISIONS)
    if unknown:
        parser.error(f"--dtypes: expected some of {list(PRECISIONS)}, "
                     f"got {sorted(unknown)}")
    left_out = {"onnxruntime"} if on_gpu else {"captured"}
    if importlib.util.find_spec("onnxruntime") is None:
        left_out.add("onnxruntime")
    options.variants = {v for v in options.variants if not left_out & set(v.split())}
    return options


def main():
    options = parse_options()
    names = [name for name in CASES
             if any(fnmatch.fnmatchcase(name, pattern) for pattern in options.cases)]
    if options.list:
        print("\n".join(CASES))
        return
    if not names:
        sys.exit("torch_benchmark.py: no case matches " + ",".join(options.cases))
    torch.backends.cudnn.benchmark = options.autotune
    report = Report(options)
    for name in names:
        precisions = CASES[name][2] or ["float32", "float16", "bfloat16"]
        for precision in options.dtypes:
            if precision not in precisions:
                continue
            tf32 = precision == "tf32"
            torch.backends.cuda.matmul.allow_tf32 = tf32
            torch.backends.cudnn.allow_tf32 = tf32
            for variant in chosen_variants(name, precision, options):
                measure_case(name, precision, variant, options, report)
    sys.exit(1 if report.failed else 0)


if __name__ == "__main__":
    main()
