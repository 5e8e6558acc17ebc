#!/usr/bin/env python3
"""Writes NumPy's results for unusual numbers and shapes: *.npz in this folder.

    python3 tests/golden/numbers/make_numbers.py [FOLDER]

Needs NumPy 1.24. tests/golden/README.md describes the files; //tests/numbers reads them.
"""

import itertools
import json
import pathlib
import sys
import warnings

import numpy as np

FLOATS = ["float16", "float32", "float64"]
INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]

# What NumPy raises for arguments that it refuses.
REFUSED = (ValueError, TypeError, IndexError, OverflowError, ZeroDivisionError)


class Table:
    """Calls, and what NumPy returns for them."""

    def __init__(self):
        self.inputs = {}
        self.calls = []
        self.values = {}

    def add_input(self, name, values):
        self.inputs[name] = np.asarray(values)
        return name

    def call(self, routine, function, names, **arguments):
        """Adds a call of a function with inputs and further arguments."""
        arrays = [self.inputs[name].copy() for name in names]
        row = {"routine": routine, "in": names}
        if arguments:
            row["arguments"] = arguments
        try:
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                result = function(*arrays, **arguments)
        except REFUSED as error:
            row["error"] = type(error).__name__
            self.calls.append(row)
            return
        results = result if isinstance(result, (tuple, list)) else [result]
        row["out"] = []
        for y in map(np.asarray, results):
            row["out"].append([str(y.dtype), list(y.shape)])
            self.values.setdefault(str(y.dtype), []).append(y.ravel())
        self.calls.append(row)

    def save(self, path):
        index = json.dumps(self.calls, separators=(",", ":"))
        arrays = {"index": np.frombuffer(index.encode(), np.uint8)}
        arrays |= {"in/" + name: values for name, values in self.inputs.items()}
        arrays |= {"values/" + dtype: np.concatenate(parts)
                   for dtype, parts in self.values.items()}
        np.savez_compressed(path, **arrays)
        print(f"{path}: {len(self.calls)} calls, {path.stat().st_size} bytes")


def special_floats(dtype):
    info = np.finfo(dtype)
    last = 2.0 ** (info.nmant + 1)  # integers up to here are exact
    positive = [0.0, float(info.smallest_subnormal),
                float(info.tiny) - float(info.smallest_subnormal), float(info.tiny),
                0.5, 1.0, 1.5, 2.5, 3.0, 100.0, last - 1, float(info.max), np.inf]
    return np.array(positive + [-x for x in positive] + [np.nan], dtype)


def special_integers(dtype):
    if dtype == "bool":
        return np.array([False, True])
    info = np.iinfo(dtype)
    wanted = {info.min, info.min + 1, -2, -1, 0, 1, 2, 3, 7, 8, 15, 16, 31, 32, 63, 64,
              info.max - 1, info.max}
    return np.array(sorted(x for x in wanted if info.min <= x <= info.max), dtype)


UNARY = """absolute arccos arccosh arcsin arcsinh arctan arctanh cbrt ceil cos cosh deg2rad exp
    exp2 expm1 fix floor invert isfinite isinf isnan log log10 log1p log2 logical_not negative
    positive rad2deg reciprocal rint sign signbit sin sinh sqrt square tan tanh trunc
    frexp modf""".split()
BINARY = """add arctan2 bitwise_and bitwise_or bitwise_xor copysign divide divmod equal
    floor_divide fmax fmin fmod greater greater_equal hypot left_shift less less_equal
    logaddexp logaddexp2 logical_and logical_or logical_xor maximum minimum multiply
    nextafter not_equal power remainder right_shift subtract""".split()
# These compute in floats: for integers, two dtypes are enough.
IN_FLOATS = set("""arccos arccosh arcsin arcsinh arctan arctanh cbrt cos cosh deg2rad exp exp2
    expm1 log log10 log1p log2 rad2deg sin sinh sqrt tan tanh frexp modf signbit arctan2
    hypot logaddexp logaddexp2 nextafter copysign divide isfinite isinf isnan ceil fix floor
    rint trunc""".split())
# Those that NumPy lacks.
OTHER_UNARY = {
    "sigmoid": lambda x: (1 / (1 + np.exp(-x))).astype(x.dtype),
    "relu": lambda x: np.maximum(x, np.array(0, x.dtype)),
}


def ufuncs():
    table = Table()
    for dtype in FLOATS + INTEGERS + ["bool"]:
        is_float = dtype in FLOATS
        values = special_floats(dtype) if is_float else special_integers(dtype)
        x = table.add_input(dtype, values)
        # Against a row, a column makes all pairs.
        column = table.add_input(dtype + "_column", values[:, None])

        def is_wanted(name):
            return is_float or name not in IN_FLOATS or dtype in ("int8", "uint64")

        for name in filter(is_wanted, UNARY):
            table.call(name, getattr(np, name), [x])
        for name, function in OTHER_UNARY.items():
            if is_float or name == "relu" and dtype != "bool":
                table.call(name, function, [x])
        for name in filter(is_wanted, BINARY):
            right = x
            if name == "power" and dtype.startswith("int"):
                table.call(name, np.power, [column, x])
                right = table.add_input(dtype + "_natural", values[values >= 0])
            table.call(name, getattr(np, name), [column, right])
        low = table.add_input(dtype + "_low", values[[0, 1, -1, -1, len(values) // 2], None])
        high = table.add_input(dtype + "_high", values[[1, -1, 0, -1, len(values) // 2], None])
        table.call("clip", np.clip, [x, low, high])
        table.call("multiply_add", lambda a, b, c: a * b + c, [x, low, high])
        table.call("where", np.where, [x, low, high])
        if is_float:
            exponents = table.add_input("exponents", np.array(
                [-2**40, -2000, -1074, -149, -24, -1, 0, 1, 24, 149, 1023, 2000, 2**40])[:, None])
            table.call("ldexp", np.ldexp, [x, exponents])
    return table


def shaped(dtype, rng):
    """Arrays of many shapes, with numbers that are sums of few bits."""
    is_float = dtype in FLOATS
    special = special_floats(dtype) if is_float else special_integers(dtype)
    arrays = {"special": special}
    if is_float:
        arrays |= {
            "numbers": np.array([0.5, -1.5, 2, 1, -0.0, 0.0, 4, -0.25], dtype),
            "infinite": np.array([1, np.inf, -2, 3], dtype),
            "opposite": np.array([np.inf, 1, -np.inf], dtype),
            "negative_zeros": np.array([-0.0, -0.0, -0.0], dtype),
            "both_zeros": np.array([0.0, -0.0, 0.0, -0.0], dtype),
            "negative_nan": np.array([1, np.copysign(np.nan, -1), 2], dtype),
            "nans": np.array([np.nan, np.nan], dtype),
            "nan": np.array(np.nan, dtype),
            "negative_zero": np.array(-0.0, dtype),
        }
        small = rng.integers(-8, 8, (3, 4, 5)) / 4
        wide = rng.integers(-8, 8, (3, 67)) / 4
    else:
        low = 0 if dtype.startswith("u") or dtype == "bool" else -4
        high = 2 if dtype == "bool" else 5
        small = rng.integers(low, high, (3, 4, 5))
        wide = rng.integers(low, high, (3, 67))
    cube = small.astype(dtype)
    wide = wide.astype(dtype)
    matrix = cube[0].copy()
    arrays |= {"plain": cube[1].copy(), "wide": wide.copy()}
    if is_float:
        matrix[0, 1] = np.nan
        matrix[1, 2] = np.inf
        matrix[2, 0] = -np.inf
        matrix[3] = -0.0
        wide[0, 5] = np.nan
        wide[1, 66] = np.nan
        wide[2, 64] = -np.inf
        arrays["wide_special"] = wide
    arrays |= {"matrix": matrix, "cube": cube, "one": cube[0, 0, :1], "zero_d": cube[0, 0, 1]}
    arrays |= {"empty": cube[0, 0, :0], "no_rows": cube[0, :0], "no_columns": cube[0, :, :0],
               "no_middle": cube[:, :0]}
    return arrays


def norm(x, ord=None, axis=None):
    if isinstance(axis, list):
        axis = tuple(axis)
    order = {"inf": np.inf, "-inf": -np.inf}.get(ord, ord)
    return np.linalg.norm(x, order, axis)


# By axis, where None is all elements.
REDUCTIONS = {
    name: getattr(np, name) for name in
    """sum prod mean amin amax argmin argmax var std all any count_nonzero cumsum cumprod ptp
    median""".split()
} | {
    "sort": np.sort,
    "argsort": lambda x, axis: np.argsort(x, axis, kind="stable"),
    "percentile": lambda x, axis: np.percentile(x, [0, 30, 100], axis),
    "average": np.average,
}
# For a whole array.
WHOLE = {
    "unique": np.unique,
    "nonzero": np.nonzero,
    "flatnonzero": np.flatnonzero,
    "argwhere": np.argwhere,
    "norm": norm,
    "norm_inf": lambda x: norm(x, "inf"),
    "norm_0": lambda x: norm(x, 0),
    "norm_1": lambda x: norm(x, 1),
    "diff": np.diff,
    "msort": lambda x: np.sort(x, axis=0),
    "trace": np.trace,
}


def reductions():
    table = Table()
    rng = np.random.default_rng(0)
    for dtype in FLOATS + ["int8", "int64", "uint64", "bool"]:
        for name, values in shaped(dtype, rng).items():
            x = table.add_input(f"{dtype}_{name}", values)
            axes = [None, *range(values.ndim)]
            if name in ("cube", "zero_d", "empty"):
                axes += [-2, 3]
            for routine, function in REDUCTIONS.items():
                # Their order decides whether such sums and products overflow.
                if name == "special" and dtype in FLOATS and routine in (
                        "sum", "prod", "mean", "cumsum", "cumprod", "average", "var", "std"):
                    continue
                for axis in axes:
                    table.call(routine, function, [x], axis=axis)
            for routine, function in WHOLE.items():
                if routine.startswith("norm") and dtype in ("float16", "bool", "int8"):
                    continue
                if name == "special" and routine in ("norm", "norm_1"):
                    continue
                table.call(routine, function, [x])
        sorted_special = table.add_input(f"{dtype}_sorted", np.sort(table.inputs[f"{dtype}_special"]))
        for values in ("special", "matrix", "zero_d", "empty", "no_rows"):
            for side in ("left", "right"):
                for within in (sorted_special, f"{dtype}_empty"):
                    table.call("searchsorted", np.searchsorted, [within, f"{dtype}_{values}"],
                               side=side)
        for name in ("special", "matrix", "empty", "no_rows", "zero_d"):
            x = f"{dtype}_{name}"
            if dtype != "bool":
                table.call("isclose", np.isclose, [x, x])
                table.call("allclose", np.allclose, [x, x])
            table.call("array_equal", np.array_equal, [x, x])
    for dtype in ("int8", "int64", "bool"):
        for name in ("plain", "empty", "one", "zero_d", "numbers"):
            if f"{dtype}_{name}" in table.inputs:
                table.call("bincount", np.bincount, [f"{dtype}_{name}"])
    table.call("bincount", np.bincount, [table.add_input("counts", np.array([3, 0, 3, 5]))])
    return table


def index_of(parts):
    """[[0, 2, 1], 3, "newaxis", "..."] as an index."""
    named = {"newaxis": None, "...": Ellipsis}
    return tuple(slice(*part) if isinstance(part, list) else
                 named[part] if isinstance(part, str) else part for part in parts)


def setitem(a, values, index):
    a[index_of(index)] = values
    return a


def set_where(a, mask, values):
    a[mask] = values
    return a


INDEXES = [
    [[None, None, -1]], [[None, None, 2]], [[None, None, -2]], [[1, -1, None]], [[5, 1, None]],
    [[-100, 100, 3]], [[100, -100, -3]], [[0, 0, None]], [-1], [0], [7], ["..."], ["newaxis"],
    ["...", "newaxis"], [[1, None, None], "...", [None, None, -1]], ["...", 0],
    ["...", [None, None, -1], 0], [[None, None, 0]], [0, 0, 0, 0],
]


def manipulation():
    table = Table()
    shapes = {"zero_d": (), "one": (1,), "vector": (5,), "empty": (0,), "matrix": (3, 4),
              "no_rows": (0, 3), "no_columns": (3, 0), "cube": (2, 3, 4), "no_middle": (2, 0, 3),
              "flat": (1, 4, 1)}
    for name, shape in shapes.items():
        table.add_input(name, np.arange(int(np.prod(shape))).reshape(shape))
    for x, shape in shapes.items():
        ndim = len(shape)
        axes = [*range(ndim), -1, ndim]

        def call(routine, function, names=None, **arguments):
            table.call(routine, function, names or [x], **arguments)

        for to in ([-1], [], [0], [0, -1], [1, -1], [-1, 0], [-1, 2], [4, 3], [2, 3, 2, -1], [-1, -1],
                   [5, 1], [3, 0, 7], [2]):
            call("reshape", lambda a, shape: np.reshape(a, shape), shape=to)
        for to in ([], [5], [0], [2, 1], [3, 4], [2, 3, 4], [2, 0, 3], [4, 1, 4, 1]):
            call("broadcast_to", lambda a, shape: np.broadcast_to(a, shape), shape=to)
        call("transpose", np.transpose)
        call("ravel", np.ravel)
        for axis in axes:
            call("flip", np.flip, axis=axis)
            call("expand_dims", np.expand_dims, axis=axis)
            call("squeeze", np.squeeze, axis=axis)
            call("moveaxis", np.moveaxis, source=0, destination=axis)
            call("rollaxis", np.rollaxis, axis=axis)
            call("swapaxes", np.swapaxes, axis1=axis, axis2=0)
            for names in ([x], [x, x, x], [x, "matrix"], [x, "empty"], [x, "no_rows"]):
                call("concatenate", lambda *a, axis: np.concatenate(a, axis), names, axis=axis)
            for names in ([x], [x, x]):
                call("stack", lambda *a, axis: np.stack(a, axis), names, axis=axis)
            for sections in (1, 2, 3, 0, -1):
                call("split", np.split, indices_or_sections=sections, axis=axis)
                call("array_split", np.array_split, indices_or_sections=sections, axis=axis)
            for indices in ([], [1], [0, 2], [-1], [3, 1], [100]):
                call("split_at", np.split, indices_or_sections=indices, axis=axis)
            for n in (0, 1, 2):
                call("diff", np.diff, n=n, axis=axis)
            call("append", lambda a, b, axis: np.append(a, b, axis), [x, x], axis=axis)
        call("squeeze", np.squeeze)
        call("flip", np.flip)
        call("concatenate", lambda *a, axis: np.concatenate(a, axis), [x, "matrix"], axis=None)
        call("append", lambda a, b, axis: np.append(a, b, axis), [x, "vector"], axis=None)
        for routine in ("fliplr", "flipud", "atleast_1d", "atleast_2d", "atleast_3d", "diagonal",
                        "diag", "diagflat", "tril", "triu"):
            call(routine, getattr(np, routine))
        for k in (-9, -1, 1, 9):
            for routine in ("diag", "tril", "triu"):
                call(routine, getattr(np, routine), k=k)
            call("rot90", np.rot90, k=k)
        for axis in [None, *axes]:
            for shift in (0, 1, -2, 1000001):
                call("roll", np.roll, shift=shift, axis=axis)
            for repeats in (0, 1, 3, -1, [2], [1, 0, 2], []):
                call("repeat", np.repeat, repeats=repeats, axis=axis)
            for indices in ([], [0], [-1], [1, 1, -1], [2, 0], [100]):
                call("take", lambda a, indices, axis: np.take(a, np.array(indices, int), axis),
                     indices=indices, axis=axis)
                call("delete", lambda a, indices, axis: np.delete(a, np.array(indices, int), axis),
                     indices=indices, axis=axis)
                call("insert",
                     lambda a, indices, axis: np.insert(a, np.array(indices, int), 77, axis),
                     indices=indices, axis=axis)
        for mode in ("wrap", "clip"):
            call("take_mode", lambda a, mode: np.take(a, [-7, -1, 0, 1, 70], mode=mode), mode=mode)
        for reps in ([], [0], [2], [2, 3], [1, 0, 2], [2, 1, 1, 2], [-1]):
            call("tile", lambda a, reps: np.tile(a, reps), reps=reps)
        for mode in ("constant", "edge", "reflect", "symmetric", "wrap"):
            for width in (0, 1, [1, 3]):
                call("pad", lambda a, pad_width, mode: np.pad(a, pad_width, mode),
                     pad_width=width, mode=mode)
        for routine in ("vstack", "hstack", "dstack", "column_stack"):
            function = getattr(np, routine)
            for names in ([x], [x, x], [x, "vector"], [x, "empty"]):
                call(routine, lambda *a: function(a), names)
        for routine in ("vsplit", "hsplit", "dsplit"):
            for sections in (1, 2):
                call(routine, getattr(np, routine), indices_or_sections=sections)
        for index in INDEXES:
            call("getitem", lambda a, index: a[index_of(index)], index=index)
            for values in ("zero_d", "one", "vector", "empty"):
                call("setitem", setitem, [x, values], index=index)
        mask = table.add_input(x + "_mask", np.arange(int(np.prod(shape))).reshape(shape) % 3 == 1)
        call("masked", lambda a, mask: a[mask], [x, mask])
        call("set_where", set_where, [x, mask, "zero_d"])
        call("where", np.where, [mask, x, "zero_d"])
        call("where", np.where, [mask, x, "vector"])
        call("extract", lambda mask, a: np.extract(mask, a), [mask, x])
        call("compress", lambda a, axis: np.compress([True, False], a, axis), axis=0)
        call("compress", lambda a, axis: np.compress([True, False], a, axis), axis=None)
        call("meshgrid", lambda a, b: np.meshgrid(a, b), [x, "vector"])
        for indices in (np.zeros((0,), int), np.array(0), np.array([1, -1]), np.array([[0]])):
            label = table.add_input("indices_" + "x".join(map(str, indices.shape)), indices)
            call("getitem_array", lambda a, i: a[i], [x, label])
    return table


PRODUCTS = {
    name: getattr(np, name) for name in "dot matmul inner outer vdot kron".split()
} | {
    "tensordot": lambda a, b: np.tensordot(a, b, 1),
    "tensordot_0": lambda a, b: np.tensordot(a, b, 0),
}


def products():
    table = Table()
    rng = np.random.default_rng(1)
    for dtype in ("float32", "float64", "int64"):
        def small(*shape):
            return rng.integers(-4, 5, shape).astype(dtype)

        arrays = {"zero_d": small(), "vector": small(3), "empty": small(0), "matrix": small(2, 3),
                  "tall": small(3, 2), "square": small(3, 3), "no_rows": small(0, 3),
                  "no_columns": small(3, 0), "stack": small(2, 2, 3), "no_matrices": small(0, 3, 3)}
        if dtype != "int64":
            special = small(3, 3)
            special[0, 1] = np.nan
            special[1, 2] = np.inf
            special[2, 2] = -np.inf
            zeros = np.zeros((3, 3), dtype)
            arrays |= {"special": special, "zeros": zeros, "special_vector": special[1].copy(),
                       "negative_zeros": -zeros[0]}
        for name, values in arrays.items():
            table.add_input(f"{dtype}_{name}", values)
        for a, b in itertools.product(arrays, repeat=2):
            for routine, function in PRODUCTS.items():
                table.call(routine, function, [f"{dtype}_{a}", f"{dtype}_{b}"])
    return table


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent)
    for make in (ufuncs, reductions, manipulation, products):
        make().save(folder / (make.__name__ + ".npz"))


if __name__ == "__main__":
    main()
