#!/usr/bin/env python3
"""Tests tools/new_includes with a small project."""

import os
import pathlib
import subprocess
import sys
import tempfile

TOOLS = pathlib.Path(__file__).resolve().parent
ROOT = TOOLS.parent

SOURCE = """#include "catena/array/error.h"
#include <catena/array/ufunc.h>
#include "catena/array/array.h"
// catena/array/error.h stays in a comment
"""
NEW_SOURCE = """#include "catena/array/core/error.h"
#include <catena/array/ufunc/ufunc.h>
#include "catena/array/array.h"
// catena/array/error.h stays in a comment
"""
BUILD = """cc_binary(
    name = "program",
    srcs = ["program.cc"],
    deps = [
        "@catena//array:dtype",
        "@catena//array:error",
        "@catena//array:take",
    ],
)
"""
NEW_BUILD = """cc_binary(
    name = "program",
    srcs = ["program.cc"],
    deps = [
        "@catena//array/core",
        "@catena//array:take",
    ],
)
"""


def run(*arguments):
    return subprocess.run([sys.executable, TOOLS / "new_includes", *arguments], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)


def expect(found, expected):
    if found != expected:
        sys.exit(f"expected:\n{expected}\ngot:\n{found}")


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "program.cc").write_text(SOURCE)
        (folder / "BUILD").write_text(BUILD)
        (folder / "notes.txt").write_text(SOURCE)
        first = run(folder)
        expect(first.stdout, f"{folder / 'BUILD'}\n{folder / 'program.cc'}\n")
        expect((folder / "program.cc").read_text(), NEW_SOURCE)
        expect((folder / "BUILD").read_text(), NEW_BUILD)
        expect((folder / "notes.txt").read_text(), SOURCE)
        expect(run(folder).stdout, "")
        missing = run(folder / "none")
        expect(missing.returncode, 1)
        expect(missing.stderr, f"new_includes: {folder / 'none'}: no such file or folder\n")
    # Every header has a new place that is there, and none of the old is.
    for line in (TOOLS / "new_includes.csv").read_text().splitlines()[1:]:
        old, new = line.split(",")
        if not new.endswith((".h", ".cuh")) or not (ROOT / "array").is_dir():
            continue
        if not os.path.exists(ROOT / new.removeprefix("catena/")):
            sys.exit(f"new_includes.csv: {new} does not exist")
        if os.path.exists(ROOT / old.removeprefix("catena/")):
            sys.exit(f"new_includes.csv: {old} still exists")


if __name__ == "__main__":
    main()
