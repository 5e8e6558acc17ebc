#!/usr/bin/env python3
"""Writes small HDF5 files, one for each way to store data, for serializers/fuzz_corpus/hdf5.

    python3 write_hdf5_seeds.py FOLDER

Small, since fuzzing takes time for every byte. Those that are there are by h5py 3.7 with
HDF5 1.10.8.
"""

import pathlib
import sys

import h5py
import numpy as np


def numbers(shape, dtype):
    return (37 * np.arange(int(np.prod(shape))) % 120).reshape(shape).astype(dtype)


def add(file, name, shape, dtype, alloc_early=False, layout=None, **options):
    """Writes numbers; options that h5py has no words for go to the library."""
    plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    plist.set_obj_track_times(False)
    if alloc_early:
        plist.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
    if layout is not None:
        plist.set_layout(layout)
    data = numbers(shape, dtype)
    file.create_dataset(name, data=data, dcpl=plist, **options)


def dtypes(file):
    for dtype in ["<f2", ">f4", "<f8", ">i2", "<i4", "<u8", "|i1"]:
        add(file, dtype[1:], (2, 3), dtype)


def small(file):
    add(file, "W", (2, 3), "<f4")
    add(file, "l1/n", (), "<i4")
    add(file, "l1/none", (0, 3), "<f4")
    file.create_dataset("flag", data=np.array([True, False]), track_times=False)
    file.create_dataset("null", data=h5py.Empty("<f4"), track_times=False)


def text(file):
    file.create_dataset("fixed", data=np.bytes_("abc"), track_times=False)
    file.create_dataset("variable", data="h\u00e9llo", track_times=False)


def filters(file):
    add(file, "all", (5, 6), "<f4", chunks=(4, 4), compression="gzip", shuffle=True,
        fletcher32=True)


def fill(file):
    file.create_dataset("filled", shape=(2, 3), dtype="<f4", fillvalue=1.5, track_times=False)


def links(file):
    for i in range(9):
        add(file, f"x{i}", (), "<i2")


def attributes(file):
    add(file, "x", (2,), "<f4")
    for i in range(9):
        file["x"].attrs[f"a{i}"] = np.int8(i)
    file["soft"] = h5py.SoftLink("/x")
    file["hard"] = file["x"]


# What each file has, and the oldest format that it may use.
FILES = {
    "small": (small, ["earliest", "latest"]),
    "dtypes": (dtypes, ["earliest", "latest"]),
    "text": (text, ["earliest"]),
    "filters": (filters, ["earliest", "latest"]),
    "fill": (fill, ["earliest", "latest"]),
    "links": (links, ["earliest", "latest"]),
    "attributes": (attributes, ["latest"]),
    "compact": (lambda file: add(file, "x", (2, 3), "<f4", layout=h5py.h5d.COMPACT),
                ["earliest", "latest"]),
    "single": (lambda file: add(file, "x", (3, 4), "<f4", chunks=(3, 4)), ["latest"]),
    "implicit": (lambda file: add(file, "x", (3, 4), "<f4", chunks=(2, 3), alloc_early=True),
                 ["latest"]),
    "fixed": (lambda file: add(file, "x", (3, 4), "<f4", chunks=(2, 3)), ["latest"]),
    "extensible": (lambda file: add(file, "x", (14, 2), "<i2", chunks=(1, 2),
                                    maxshape=(None, 2)), ["latest"]),
    "tree": (lambda file: add(file, "x", (4, 4), "<i2", chunks=(2, 3),
                              maxshape=(None, None)), ["earliest", "latest"]),
}


def main():
    folder = pathlib.Path(sys.argv[1])
    for name, (write, bounds) in FILES.items():
        for bound in bounds:
            suffix = "" if len(bounds) == 1 else f"_{bound}"
            with h5py.File(folder / f"{name}{suffix}.h5", "w", libver=bound) as file:
                write(file)


if __name__ == "__main__":
    main()
