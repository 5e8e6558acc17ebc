#!/usr/bin/env python3
"""Writes the steps of Muon, computed by NumPy in float64.

    python3 tests/golden/optimizers/make_muon.py [FOLDER]

Needs NumPy 1.24; writes the same bytes each time. tests/golden/README.md describes the files.
"""

import math
import pathlib
import sys

import numpy as np

SHAPES = {"p0": (3, 5), "p1": (4,), "p2": (2, 2, 3), "p3": (6, 2), "p4": (1, 3)}
STEPS = 5


def orthogonalized(u, steps):
    x = (u if u.shape[0] <= u.shape[1] else u.T) / (np.sqrt((u * u).sum()) + 1e-7)
    for _ in range(steps):
        square = x @ x.T
        x = 3.4445 * x + (-4.7750 * square + 2.0315 * square @ square) @ x
    return x if u.shape[0] <= u.shape[1] else x.T


def trajectory(random, dtype, lr=0.02, momentum=0.95, weight_decay=0.01, nesterov=True, steps=5,
               match_adamw=False, adamw_lr=0.001, adamw_beta1=0.9, adamw_beta2=0.999,
               adamw_eps=1e-8, adamw_weight_decay=0.01):
    """The arrays of a case: parameters, gradients, parameters after each step, the state."""
    case = {}
    parameters = {name: random.uniform(-1, 1, shape).astype(dtype)
                  for name, shape in SHAPES.items()}
    case |= {f"param/{name}": x for name, x in parameters.items()}
    exact = {name: x.astype(float) for name, x in parameters.items()}
    m = {name: np.zeros(shape) for name, shape in SHAPES.items() if len(shape) != 2}
    v = {name: np.zeros(shape) for name, shape in SHAPES.items()}
    for t in range(1, STEPS + 1):
        for name, shape in SHAPES.items():
            gradient = random.uniform(-1, 1, shape).astype(dtype)
            case[f"grad{t - 1}/{name}"] = gradient
            g = gradient.astype(float)
            if len(shape) == 2:
                v[name] = momentum * v[name] + g
                u = g + momentum * v[name] if nesterov else v[name]
                scale = 0.2 * math.sqrt(max(shape)) if match_adamw else math.sqrt(
                    max(1, shape[0] / shape[1]))
                exact[name] = exact[name] * (1 - lr * weight_decay)
                exact[name] = exact[name] - lr * scale * orthogonalized(u, steps)
            else:
                m[name] = adamw_beta1 * m[name] + (1 - adamw_beta1) * g
                v[name] = adamw_beta2 * v[name] + (1 - adamw_beta2) * g * g
                first = m[name] / (1 - adamw_beta1 ** t)
                second = v[name] / (1 - adamw_beta2 ** t)
                exact[name] = exact[name] * (1 - adamw_lr * adamw_weight_decay)
                exact[name] = exact[name] - adamw_lr * first / (np.sqrt(second) + adamw_eps)
            case[f"after{t - 1}/{name}"] = exact[name].astype(dtype)
    case |= {f"state/{name}/m": x.astype(dtype) for name, x in m.items()}
    case |= {f"state/{name}/v": x.astype(dtype) for name, x in v.items()}
    case["state/t"] = np.int64(STEPS)
    return case


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else __file__).resolve()
    folder = folder if folder.is_dir() else folder.parent
    random = np.random.default_rng(11)
    arrays = {}
    for name, dtype, options in [("default", np.float32, {}), ("f64", np.float64, {}),
                                 ("plain", np.float64, {"nesterov": False, "momentum": 0.5}),
                                 ("match", np.float64, {"match_adamw": True, "lr": 0.003}),
                                 ("all", np.float64,
                                  {"lr": 0.1, "weight_decay": 0.2, "steps": 3, "adamw_lr": 0.02,
                                   "adamw_beta1": 0.8, "adamw_beta2": 0.95, "adamw_eps": 1e-3,
                                   "adamw_weight_decay": 0.1})]:
        case = trajectory(random, dtype, **options)
        case |= {f"attr/{key}": np.asarray(value) for key, value in options.items()}
        arrays |= {f"{name}/{key}": value for key, value in case.items()}
    np.savez(folder / "Muon.npz", **arrays)


if __name__ == "__main__":
    main()
