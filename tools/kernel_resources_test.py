#!/usr/bin/env python3
"""Tests kernel_resources on objects as nvcc writes them, made up here."""

import os
import pathlib
import struct
import subprocess
import tempfile
import unittest

TOOL = str(pathlib.Path("tools/kernel_resources").resolve())
FRAME_SIZE, REGISTERS = 0x11, 0x2F


def make_elf(kernels, functions=()):
    """A cubin with kernels (name, registers, stack, shared) and device functions."""
    names = [kernel[0] for kernel in kernels] + list(functions)
    strings = b"\0" + b"".join(name.encode() + b"\0" for name in names)
    symbols = bytes(24)
    for name in names:
        symbols += struct.pack("<IBBHQQ", strings.index(name.encode() + b"\0"), 0, 0, 0,
                               0, 0)
    info = struct.pack("<BBH", 3, 0x50, 7)  # an attribute without numbers
    for index, (_, registers, stack, _) in enumerate(kernels, 1):
        info += struct.pack("<BBHII", 4, REGISTERS, 8, index, registers)
        info += struct.pack("<BBHII", 4, FRAME_SIZE, 8, index, stack)
    parts = [("", b""), (".strtab", strings), (".symtab", symbols), (".nv.info", info)]
    for name, _, _, shared in kernels:
        parts += [(f".text.{name}", b"code"), (f".nv.info.{name}", b"")]
        if shared:
            parts.append((f".nv.shared.{name}", bytes(shared)))
    parts += [(f".text.{name}", b"code") for name in functions]
    parts.append((".shstrtab", b"".join(name.encode() + b"\0" for name, _ in parts) +
                  b".shstrtab\0"))
    body, headers = bytes(64), b""
    for name, contents in parts:
        at = parts[-1][1].index(name.encode() + b"\0")
        headers += struct.pack("<IIQQQQIIQQ", at, 1, 0, 0, len(body), len(contents), 0,
                               0, 1, 0)
        body += contents
    start = b"\x7fELF" + bytes(36) + struct.pack("<Q", len(body)) + bytes(10)
    start += struct.pack("<HHH", 64, len(parts), len(parts) - 1)
    return start + body[64:] + headers


def make_object(*entries):
    """A file with a fat binary of entries (kind, contents)."""
    body = b"".join(struct.pack("<HHIQ", kind, 1, 64, len(contents)) + bytes(48) +
                    contents for kind, contents in entries)
    return (b"an object" + struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(body)) + body +
            b"and more")


def run(*arguments):
    result = subprocess.run([TOOL, *map(str, arguments)], text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return result.returncode, result.stdout, result.stderr


class KernelResourcesTest(unittest.TestCase):

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(dir=os.environ["TEST_TMPDIR"]))
        self.object = self.folder / "k8-opt/bin/array/_objs/sort_cuda_objects/sort.cu.o"
        self.object.parent.mkdir(parents=True)
        self.table = self.folder / "table.csv"

    def write(self, *kernels, **options):
        self.object.write_bytes(make_object((1, b"PTX"),
                                            (2, make_elf(kernels, **options))))

    def test_prints_what_each_kernel_needs(self):
        self.write(("small", 20, 0, 0), ("large", 80, 48, 1024), functions=["helper"])
        status, out, _ = run(self.object)
        self.assertEqual(status, 0)
        self.assertEqual([line.split() for line in out.splitlines()[1:]],
                         [["80", "48", "1024", "large"], ["20", "0", "0", "small"]])

    def test_the_largest_of_all_architectures_counts(self):
        self.object.write_bytes(make_object((2, make_elf([("f", 20, 8, 0)])),
                                            (2, make_elf([("f", 30, 0, 0)]))))
        self.assertEqual(run(self.object)[1].split()[-4:], ["30", "8", "0", "f"])

    def test_names_are_short(self):
        self.write(("_ZN6catena7kernels4cuda11span_kernelINS_9functions9WindowSumEfEE"
                    "vT_ll", 20, 0, 0))
        out = run(self.object)[1]
        self.assertTrue(out.endswith(("  span_kernel<WindowSum, float>\n",
                                      "WindowSumEfEEvT_ll\n")), out)  # without c++filt

    def test_the_table_names_sources_and_kernels_with_a_stack(self):
        self.write(("f", 20, 0, 16), ("g", 30, 48, 0))
        self.assertEqual(run("--update", self.table, self.object)[0], 0)
        self.assertEqual(self.table.read_text().splitlines()[1:],
                         ["array/sort.cu,2,30,16,48,g"])
        self.assertEqual(run("--check", self.table, self.object)[0], 0)

    def test_less_is_accepted_and_more_is_not(self):
        self.write(("f", 20, 0, 16), ("g", 30, 48, 0))
        run("--update", self.table, self.object)
        self.write(("f", 19, 0, 0), ("g", 30, 0, 0))
        self.assertEqual(run("--check", self.table, self.object)[0], 0)
        self.write(("f", 31, 8, 16), ("g", 30, 56, 0))
        status, _, errors = run("--check", self.table, self.object)
        self.assertEqual(status, 1)
        self.assertEqual(errors.splitlines()[:3], [
            "array/sort.cu: registers rose from 30 to 31",
            "array/sort.cu: stack rose from 48 to 56",
            "array/sort.cu: f has a stack"])

    def test_a_new_source_has_to_be_added(self):
        self.write(("f", 20, 0, 0))
        self.table.write_text("source,kernels,registers,shared,stack,"
                              "kernels with a stack\n")
        self.assertIn("array/sort.cu: is not in the table",
                      run("--check", self.table, self.object)[2])

    def test_an_object_without_kernels_is_no_line(self):
        self.object.write_bytes(b"no fat binary")
        self.assertEqual(run("--update", self.table, self.object)[0], 0)
        self.assertEqual(len(self.table.read_text().splitlines()), 1)

    def test_compressed_code_is_refused(self):
        self.object.write_bytes(make_object((2, b"\x28\xb5\x2f\xfd")))
        status, _, errors = run(self.object)
        self.assertEqual(status, 1)
        self.assertIn("the machine code is compressed", errors)


if __name__ == "__main__":
    unittest.main()
