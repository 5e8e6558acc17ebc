#!/usr/bin/env python3
"""Writes sample files with the HDF5 library that h5py here links, for hdf5_versions_test.

    python3 write.py FOLDER

FOLDER gets hdf5_VERSION_BOUND.h5 for each bound of the file format. What the elements are,
the test knows: element i of a dataset is (37 i) mod 120.
"""

import sys

import h5py
import numpy as np


def numbers(shape, dtype):
    """What the test expects."""
    size = int(np.prod(shape, dtype=np.int64))
    return (37 * np.arange(size) % 120).reshape(shape).astype(dtype)


def write(path, bound):
    with h5py.File(path, "w", libver=bound) as file:
        for name in "f2 f4 f8 i1 i2 i4 i8 u1 u2 u4 u8".split():
            for order, key in [("<", "little"), (">", "big")]:
                file[f"dtypes/{key}/{name}"] = numbers((2, 3), order + name)
        file["dtypes/bool"] = numbers((2, 3), "i4") % 2 == 1
        shape = (9, 11)
        stored = {
            "contiguous": {},
            "single": {"chunks": shape},
            "fixed": {"chunks": (2, 3)},
            "extensible": {"chunks": (2, 3), "maxshape": (None, 11)},
            "tree": {"chunks": (2, 3), "maxshape": (None, None)},
            "deflate": {"chunks": (4, 4), "compression": "gzip"},
            "shuffle": {"chunks": (4, 4), "compression": "gzip", "shuffle": True},
            "fletcher32": {"chunks": (4, 4), "fletcher32": True},
            "all_filters": {"chunks": (4, 4), "maxshape": (None, None), "compression": 4,
                            "shuffle": True, "fletcher32": True},
        }
        for name, options in stored.items():
            file.create_dataset(f"layouts/{name}", data=numbers(shape, "<f4"), **options)
        # More than one block of an extensible array, and a tree of two levels.
        for name, maxshape in [("extensible", (None, 2)), ("tree", (None, None))]:
            file.create_dataset(f"many/{name}", data=numbers((120, 2), "<i2"), chunks=(1, 2),
                                maxshape=maxshape)
        file["empty"] = numbers((0, 3), "<f4")
        file["scalar"] = np.float64(1.5)
        for i in range(20):
            file[f"group/x{i}"] = np.int32(i)
        file["text/variable"] = "h\u00e9llo"
        file["text/fixed"] = np.bytes_("abc")
        file["soft"] = h5py.SoftLink("/scalar")
        file["external"] = h5py.ExternalLink("other.h5", "/x")


def main():
    version = h5py.version.hdf5_version.replace(".", "_")
    for bound in ["earliest", "v108", "latest"]:
        write(f"{sys.argv[1]}/hdf5_{version}_{bound}.h5", bound if bound == "earliest"
              else (bound, "latest"))


if __name__ == "__main__":
    main()
