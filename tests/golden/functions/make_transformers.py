#!/usr/bin/env python3
"""Writes expected values of functions that Chainer lacks: those of transformers.

    python3 tests/golden/functions/make_transformers.py [FOLDER]

Computes each function in float64 from its definition, and gradients by complex steps: with a
tiny h, the imaginary part of f(x + ih) / h is the derivative to the last digit, since nothing
is subtracted. Needs NumPy 1.24; writes the same bytes each time. tests/golden/README.md
describes the files.
"""

import math
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from complex_steps import STEP, gelu, gelu_by_tanh, silu

DTYPES = {"f16": np.float16, "f32": np.float32, "f64": np.float64}


def rms_normalization(x, gamma, *, eps, n_batch_axes):
    rows = x.reshape(*x.shape[:n_batch_axes], -1)
    mean = (rows * rows).mean(axis=-1, keepdims=True)
    return (rows / np.sqrt(mean + eps) * gamma).reshape(x.shape)


def attention(q, k, v, *, scale=None, causal=False, window=None, mask=None, lengths=None,
              alibi_slopes=None, soft_cap=0.0):
    batch, heads, queries, size = q.shape
    keys = k.shape[2]
    k, v = (np.repeat(x, heads // x.shape[1], axis=1) for x in (k, v))
    scores = np.einsum("bhtd,bhsd->bhts", q, k) * (scale or 1 / math.sqrt(size))
    if soft_cap:
        scores = soft_cap * np.tanh(scores / soft_cap)
    at = np.arange(keys - queries, keys)[:, None]
    distance = at - np.arange(keys)
    if alibi_slopes is not None:
        scores = scores - alibi_slopes[:, None, None] * abs(distance)
    seen = np.ones(scores.shape, bool)
    if causal:
        seen &= distance >= 0
    if window is not None:
        seen &= abs(distance) < window
    if lengths is not None:
        seen &= np.arange(keys) < lengths[:, None, None, None]
    if mask is not None and mask.dtype == bool:
        seen &= mask
    elif mask is not None:
        scores = scores + mask
    largest = np.max(np.where(seen, scores.real, -np.inf), axis=-1, keepdims=True, initial=-1e9)
    weights = seen * np.exp(np.where(seen, scores - largest, 0))
    total = weights.sum(axis=-1, keepdims=True)
    return np.einsum("bhts,bhsd->bhtd", weights / np.where(total == 0, 1, total), v)


def rotary(x, *, size, base, interleaved):
    angles = np.arange(x.shape[-2])[:, None] * base ** (-2 * np.arange(size // 2) / size)
    cos, sin = np.cos(angles), np.sin(angles)
    pairs = (slice(0, size, 2), slice(1, size, 2)) if interleaved else (
        slice(0, size // 2), slice(size // 2, size))
    first, second = (x[..., part] for part in pairs)
    y = x.copy()
    y[..., pairs[0]] = first * cos - second * sin
    y[..., pairs[1]] = first * sin + second * cos
    return y


def cross_entropy(x, t, *, class_weight=None, ignore_label=-1, reduce="mean",
                  label_smoothing=0.0):
    """Of rows (N, C), or of pixels (N, C, D), with labels (N) or (N, D)."""
    classes = x.shape[1]
    weights = np.ones(classes) if class_weight is None else class_weight
    x = np.moveaxis(x, 1, -1)
    largest = x.real.max(axis=-1, keepdims=True)
    log_p = x - largest - np.log(np.exp(x - largest).sum(axis=-1, keepdims=True))
    chosen = np.arange(classes) == t[..., None]
    targets = weights * ((1 - label_smoothing) * chosen + label_smoothing / classes)
    counts = t != ignore_label
    losses = np.where(counts, -(targets * log_p).sum(axis=-1), 0)
    return losses if reduce == "no" else losses.sum() / max(1, counts.sum())


def linear_cross_entropy(x, W, t, b, *, soft_cap=0.0, **options):
    scores = x @ W.T + b
    if soft_cap:
        scores = soft_cap * np.tanh(scores / soft_cap)
    return cross_entropy(scores, t, **options)


def gradients(function, inputs, gout):
    """The gradients of sum(gout * function(*inputs)), one element at a time; None for
    integers."""
    result = []
    for i, x in enumerate(inputs):
        if x.dtype.kind == "i":
            result.append(None)
            continue
        gx = np.empty(x.shape)
        for place in np.ndindex(x.shape):
            moved = [z.astype(complex) for z in inputs]
            moved[i][place] += 1j * STEP
            gx[place] = np.imag(np.sum(gout * function(*moved))) / STEP
        result.append(gx)
    return result


def attribute(value):
    """As files have it: text is uint8."""
    if isinstance(value, str):
        return np.frombuffer(value.encode(), np.uint8)
    return np.asarray(value)


def in_complex(x):
    return x if x.dtype.kind == "i" else x.astype(complex)


class GoldenFile:
    """The cases of one function."""

    def __init__(self, seed):
        self._random = np.random.default_rng(seed)
        self._arrays = {}

    def uniform(self, *shape, low=-2.0, high=2.0):
        return self._random.uniform(low, high, shape)

    def add(self, name, function, inputs, dtypes=("f16", "f32", "f64"), **attributes):
        """Adds a case for each dtype; attributes are keyword arguments of ours."""
        for suffix in dtypes:
            dtype = DTYPES[suffix]
            given = [x if np.asarray(x).dtype.kind == "i" else np.asarray(x, dtype)
                     for x in inputs]
            exact = [x if x.dtype.kind == "i" else x.astype(float) for x in given]
            out = np.real(function(*[in_complex(x) for x in exact]))
            gout = self.uniform(*out.shape, low=-1, high=1).astype(dtype)
            case = {f"in{i}": x for i, x in enumerate(given)}
            case |= {"out0": out.astype(dtype), "gout0": gout}
            for i, gx in enumerate(gradients(function, exact, gout.astype(float))):
                if gx is not None:
                    case[f"gin{i}"] = gx.astype(dtype)
            case |= {"attr/" + key: attribute(value) for key, value in attributes.items()}
            self._arrays |= {f"{name}_{suffix}/{key}": x for key, x in case.items()}

    def save(self, path):
        np.savez(path, **self._arrays)


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else __file__).resolve()
    folder = folder if folder.is_dir() else folder.parent

    file = GoldenFile(1)
    file.add("exact", gelu, [file.uniform(3, 7, low=-5, high=5)])
    file.add("tanh", gelu_by_tanh, [file.uniform(3, 7, low=-5, high=5)], tanh=True)
    file.save(folder / "activation/gelu.npz")

    file = GoldenFile(2)
    file.add("plain", silu, [file.uniform(3, 7, low=-9, high=9)])
    file.save(folder / "activation/silu.npz")

    file = GoldenFile(3)
    file.add("plain", lambda a, b: silu(a) * b, [file.uniform(3, 7), file.uniform(3, 7)])
    file.save(folder / "activation/swiglu.npz")

    file = GoldenFile(4)
    file.add("exact", lambda a, b: gelu(a) * b, [file.uniform(3, 7), file.uniform(3, 7)])
    file.add("tanh", lambda a, b: gelu_by_tanh(a) * b,
             [file.uniform(3, 7), file.uniform(3, 7)], tanh=True)
    file.save(folder / "activation/geglu.npz")

    file = GoldenFile(6)
    slopes = np.array([0.5, 0.25, 0.125, 0.0625])
    seen = file.uniform(2, 4, 5, 6) > -0.8
    bias = file.uniform(4, 5, 6)
    for name, options in [("plain", {}), ("causal", {"causal": True}), ("window", {"window": 2}),
                          ("local", {"causal": True, "window": 3}), ("seen", {"mask": seen}),
                          ("bias", {"mask": bias}), ("alibi", {"alibi_slopes": slopes}),
                          ("lengths", {"lengths": np.array([6, 0])}),
                          ("capped", {"soft_cap": 0.7, "scale": 0.9}),
                          ("everything", {"causal": True, "window": 4, "mask": bias,
                                          "lengths": np.array([3, 6]), "soft_cap": 1.5,
                                          "alibi_slopes": slopes})]:
        file.add(name, lambda q, k, v: attention(q, k, v, **options),
                 [file.uniform(2, 4, 5, 3), file.uniform(2, 2, 6, 3), file.uniform(2, 2, 6, 4)],
                 **options)
    file.save(folder / "attention/attention.npz")

    file = GoldenFile(7)
    for name, options in [("halves", {"size": 6, "base": 1e4, "interleaved": False}),
                          ("neighbours", {"size": 6, "base": 1e4, "interleaved": True}),
                          ("part", {"size": 4, "base": 100.0, "interleaved": False})]:
        file.add(name, lambda x: rotary(x, **options), [file.uniform(2, 3, 5, 6)], **options)
    file.save(folder / "attention/rotary_embedding.npz")

    file = GoldenFile(5)
    for name, shape, options in [("rows", (3, 5), {"eps": 1e-5, "n_batch_axes": 1}),
                                 ("long", (2, 37), {"eps": 1e-6, "n_batch_axes": 1}),
                                 ("axes", (2, 3, 5), {"eps": 0.1, "n_batch_axes": 2}),
                                 ("flat", (2, 3, 4), {"eps": 1e-5, "n_batch_axes": 1})]:
        size = math.prod(shape[options["n_batch_axes"]:])
        file.add(name, lambda x, gamma: rms_normalization(x, gamma, **options),
                 [file.uniform(*shape), file.uniform(size, low=0.5, high=1.5)], **options)
    file.save(folder / "normalization/rms_normalization.npz")

    file = GoldenFile(8)
    labels = np.array([3, 0, -1, 5, 2], np.int32)
    weights = file.uniform(6, low=0.5, high=1.5)
    for name, options in [("mean", {"label_smoothing": 0.1}),
                          ("uniform", {"label_smoothing": 1.0}),
                          ("rows", {"label_smoothing": 0.25, "reduce": "no"}),
                          ("ignored", {"label_smoothing": 0.25, "ignore_label": 3}),
                          ("weights", {"label_smoothing": 0.25, "class_weight": weights})]:
        t = np.where(labels < 0, 3, labels) if "ignore_label" in options else labels
        file.add(name, lambda x, t: cross_entropy(x, t, **options), [file.uniform(5, 6), t],
                 **options)
    t = np.array([[1, 0, -1, 2], [2, 2, 1, 0]], np.int64)
    file.add("pixels", lambda x, t: cross_entropy(x, t, label_smoothing=0.3),
             [file.uniform(2, 3, 4), t], label_smoothing=0.3)
    file.save(folder / "loss/label_smoothing.npz")

    file = GoldenFile(9)
    for name, options in [("mean", {}), ("rows", {"reduce": "no"}),
                          ("smoothed", {"label_smoothing": 0.2}),
                          ("capped", {"soft_cap": 1.5}),
                          ("ignored", {"ignore_label": 3, "reduce": "no", "soft_cap": 3.0})]:
        t = np.where(labels < 0, 3, labels) if "ignore_label" in options else labels
        file.add(name, lambda x, W, t, b: linear_cross_entropy(x, W, t, b, **options),
                 [file.uniform(5, 4), file.uniform(6, 4), t, file.uniform(6)], **options)
    file.save(folder / "loss/linear_cross_entropy.npz")


if __name__ == "__main__":
    main()
