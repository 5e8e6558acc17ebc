#!/usr/bin/env python3
"""The cases of device_benchmark that CuPy has, too, with CuPy.

    python3 cupy_benchmark.py --device=cuda:0 --out=cupy.jsonl

Same shapes, types and counting as cupy_cases.cc and array_cases.cc: change both.
"""

import argparse
import fnmatch
import json
import sys
import time

import cupy


class Sizes:
    """What a case is measured with."""

    def __init__(self, small):
        self.small = small

    def values(self):
        size = 1000 if self.small else 1 << 26
        return cupy.random.uniform(-1, 1, size, dtype=cupy.float32)

    def matrix(self, side=8192):
        side = 32 if self.small else side
        return cupy.random.uniform(-1, 1, (side, side), dtype=cupy.float32)


def move(x, passes, work):
    """(step, bytes, unit) of work that reads and writes x so many times."""
    return (lambda: work(x)), passes * x.nbytes, "B"


def elementwise_kernel(s):
    kernel = cupy.ElementwiseKernel("T x, T y", "T z", "z = (x - y) * (x - y)",
                                    "squared_difference")
    y = s.values()
    return move(s.values(), 3, lambda x: kernel(x, y))


def reduction_kernel(s):
    kernel = cupy.ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0",
                                  "norm")
    x = s.values().reshape(-1, 10 if s.small else 1 << 13)
    return move(x, 1, lambda x: kernel(x, axis=1))


def sort(s):
    x = s.values()
    return (lambda: cupy.sort(x)), x.size, "elements"


def take(s):
    x = s.values()
    indices = cupy.random.randint(0, x.size, x.size, dtype=cupy.int32)
    return (lambda: x.take(indices)), 2 * x.nbytes + indices.nbytes, "B"


def cumsum(s):
    return move(s.values(), 2, cupy.cumsum)


def reductions(name):
    """Cases: of all elements, along the columns, along the rows."""
    def case(axis):
        return lambda s: move(s.matrix(), 1, lambda x: getattr(cupy, name)(x, axis=axis))
    return {name: case(None), f"{name}_rows": case(0), f"{name}_columns": case(1)}


def add(s):
    y = s.matrix()
    return move(s.matrix(), 3, lambda x: x + y)


def matmul(s):
    a, b = s.matrix(4096), s.matrix(4096)
    return (lambda: a @ b), 2 * a.shape[0]**3, "FLOP"


CASES = {
    "add": add,
    "exp": lambda s: move(s.matrix(), 2, cupy.exp),
    **reductions("sum"),
    **reductions("argmax"),
    "matmul": matmul,
    "elementwise_kernel": elementwise_kernel,
    "reduction_kernel": reduction_kernel,
    "sort": sort,
    "take": take,
    "cumsum": cumsum,
}


def seconds_of(steps, step):
    cupy.cuda.Device().synchronize()
    start = time.perf_counter()
    for _ in range(steps):
        step()
    cupy.cuda.Device().synchronize()
    return time.perf_counter() - start


def measure(step, options):
    """(seconds of a step, spread), as device_benchmark measures it."""
    seconds_of(1, step)
    if options.small:
        return seconds_of(1, step), 0.0
    seconds_of(3, step)
    one = seconds_of(1, step)
    warmup = max(1, int(options.warmup / one))
    one = seconds_of(warmup, step) / warmup
    steps = max(1, int(options.seconds / options.rounds / one))
    times = sorted(seconds_of(steps, step) / steps for _ in range(options.rounds))
    median = times[len(times) // 2]
    return median, (times[-1] - times[0]) / median


def measure_case(name, options):
    """The record of a case."""
    keys = {"case": name, "dtype": "float32", "variant": ""}
    pool = cupy.get_default_memory_pool()
    try:
        cupy.random.seed(0)
        pool.free_all_blocks()
        step, amount, unit = CASES[name](Sizes(options.small))
        seconds, spread = measure(step, options)
        # The pool only grows here, so this is its peak.
        return {**keys, "seconds": seconds, "spread": spread, "rate": amount / seconds,
                "unit": f"{unit}/s", "memory": pool.total_bytes()}
    except Exception as error:  # leaves the other cases alone
        return {**keys, "error": " ".join(str(error).split())[:300]}


def parse_options(arguments=None):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cuda:0", help="cuda:0, ...")
    parser.add_argument("--cases", default="*", help="names with * and ?, comma-separated")
    parser.add_argument("--list", action="store_true", help="print the names of the cases")
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--seconds", type=float, default=2)
    parser.add_argument("--warmup", type=float, default=0.5)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--out", default="", help="append the results, as JSON")
    options = parser.parse_args(arguments)
    kind, _, index = options.device.partition(":")
    if kind != "cuda" or not index.isdigit():
        parser.error(f"--device: expected cuda:0, cuda:1, ..., got {options.device}")
    options.index = int(index)
    return options


def main():
    options = parse_options()
    if options.list:
        print("\n".join(CASES))
        return
    names = [name for name in CASES if any(
        fnmatch.fnmatchcase(name, pattern) for pattern in options.cases.split(","))]
    if not names:
        sys.exit("cupy_benchmark.py: no case matches " + options.cases)
    records = []

    def write(record):
        records.append(record)
        print(json.dumps(record), flush=True)
        if options.out:
            with open(options.out, "a", encoding="utf-8") as file:
                file.write(json.dumps({"program": "CuPy", **record}) + "\n")

    with cupy.cuda.Device(options.index):
        properties = cupy.cuda.runtime.getDeviceProperties(options.index)
        write({"device": options.device, "name": properties["name"].decode(),
               "version": f"{cupy.__version__} CUDA "
                          f"{cupy.cuda.runtime.runtimeGetVersion()}"})
        for name in names:
            write(measure_case(name, options))
    sys.exit(1 if any("error" in record for record in records) else 0)


if __name__ == "__main__":
    main()
