#!/usr/bin/env python3
"""Writes the steps of AdamW as PyTorch documents it, computed by NumPy in float64.

    python3 tests/golden/optimizers/make_adamw.py [FOLDER]

Needs NumPy 1.24; writes the same bytes each time. tests/golden/README.md describes the files.
"""

import pathlib
import sys

import numpy as np

SHAPES = {"p0": (2, 3), "p1": (4,), "p2": (2, 2, 3)}
STEPS = 6


def trajectory(random, dtype, lr=0.001, beta1=0.9, beta2=0.999, eps=1e-8, weight_decay=0.01):
    """The arrays of a case: parameters, gradients, parameters after each step, the state."""
    case = {}
    parameters = {name: random.uniform(-1, 1, shape).astype(dtype)
                  for name, shape in SHAPES.items()}
    case |= {f"param/{name}": x for name, x in parameters.items()}
    exact = {name: x.astype(float) for name, x in parameters.items()}
    m = {name: np.zeros(shape) for name, shape in SHAPES.items()}
    v = {name: np.zeros(shape) for name, shape in SHAPES.items()}
    for t in range(1, STEPS + 1):
        for name, shape in SHAPES.items():
            gradient = random.uniform(-1, 1, shape).astype(dtype)
            case[f"grad{t - 1}/{name}"] = gradient
            g = gradient.astype(float)
            m[name] = beta1 * m[name] + (1 - beta1) * g
            v[name] = beta2 * v[name] + (1 - beta2) * g * g
            first = m[name] / (1 - beta1 ** t)
            second = v[name] / (1 - beta2 ** t)
            exact[name] *= 1 - lr * weight_decay
            exact[name] = exact[name] - lr * first / (np.sqrt(second) + eps)
            case[f"after{t - 1}/{name}"] = exact[name].astype(dtype)
    for name in SHAPES:
        case[f"state/{name}/m"] = m[name].astype(dtype)
        case[f"state/{name}/v"] = v[name].astype(dtype)
    case["state/t"] = np.int64(STEPS)
    return case


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else __file__).resolve()
    folder = folder if folder.is_dir() else folder.parent
    random = np.random.default_rng(7)
    arrays = {}
    for name, dtype, options in [("default", np.float32, {}), ("f64", np.float64, {}),
                                 ("all", np.float64,
                                  {"lr": 0.02, "beta1": 0.8, "beta2": 0.95, "eps": 1e-3,
                                   "weight_decay": 0.1}),
                                 ("no_decay", np.float32, {"weight_decay": 0.0, "lr": 0.1})]:
        case = trajectory(random, dtype, **options)
        case |= {f"attr/{key}": np.float64(value) for key, value in options.items()}
        arrays |= {f"{name}/{key}": value for key, value in case.items()}
    np.savez(folder / "PyTorchAdamW.npz", **arrays)


if __name__ == "__main__":
    main()
