#!/usr/bin/env python3
"""Tests kernel_resources on objects as nvcc writes them, made up here."""

import ctypes
import ctypes.util
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
    """A file with a fat binary of entries (kind, contents, size if compressed)."""
    body = b"".join(struct.pack("<HHIQ", kind, 1, 64, len(contents)) + bytes(40) +
                    struct.pack("<Q", *(size or [0])) + contents
                    for kind, contents, *size in entries)
    return (b"an object" + struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(body)) + body +
            b"and more")


def make_ptx(*kernels):
    """PTX of kernels (name, instructions)."""
    text = ".version 9.0\n.target sm_90\n"
    for name, instructions in kernels:
        text += f".visible .entry {name}(\n\t.param .u64 {name}_param_0\n)\n"
        text += ".maxntid 256\n{\n\t.reg .b64 %rd<9>;\n"
        text += "".join(f"\t{line}\n" for line in instructions) + "\tret;\n\n}\n"
    return text.encode()


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

    def test_code_may_have_the_number_of_fat_binaries(self):
        self.write(("f", 8, 0, 0))
        number = struct.pack("<IHHQ", 0xBA55ED50, 1, 16, 1 << 40)
        self.object.write_bytes(number + self.object.read_bytes())
        self.assertEqual(run("--update", self.table, self.object)[0], 0)
        self.assertEqual(len(self.table.read_text().splitlines()), 2)

    def test_compressed_code_is_refused(self):
        self.object.write_bytes(make_object((2, b"\x28\xb5\x2f\xfd")))
        status, _, errors = run(self.object)
        self.assertEqual(status, 1)
        self.assertIn("the machine code is compressed", errors)


# From reduce_row_packs<SumOp, float> and reduce_elements<SumOp, float16>.
ROWS = "_Z16reduce_row_packsI5SumOpfEvi"
ELEMENTS = "_Z15reduce_elementsI5SumOp7float16Evi"
VECTOR = "ld.global.v4.f32 \t{%f1, %f2, %f3, %f4}, [%rd1];"
SCALAR = "ld.global.nc.b16 \t%rs1, [%rd1+2];"


class KernelLoadsTest(unittest.TestCase):

    def setUp(self):
        folder = pathlib.Path(tempfile.mkdtemp(dir=os.environ["TEST_TMPDIR"]))
        self.object = folder / "bin/array/_objs/reduce/reduce.cu.o"
        self.object.parent.mkdir(parents=True)
        self.table = folder / "table.csv"
        self.loads = folder / "kernel_loads.csv"

    def write(self, *kernels):
        cubin = make_elf([(name, 20, 0, 0) for name, _ in kernels])
        self.object.write_bytes(make_object((1, make_ptx(*kernels)), (2, cubin)))

    def rows(self):
        self.assertEqual(run("--update", self.table, self.object)[0], 0)
        return self.loads.read_text().splitlines()[1:]

    def check(self, *arguments):
        status, _, errors = run("--check", self.table, *arguments, self.object)
        return status, errors.splitlines()[:-1]

    def test_the_widest_loads_of_a_basic_block_are_counted(self):
        self.write(
            (ROWS, [VECTOR, SCALAR, VECTOR, "@%p1 bra \t$L__BB0_2;", VECTOR, VECTOR,
                    "@%p2 ld.global.v2.b64 \t{%rd2, %rd3}, [%rd1];",
                    "$L__BB0_2:", VECTOR]),
            (ELEMENTS, [SCALAR, "bar.sync \t0;", "ld.shared.v4.f32 \t{%f1}, [%r1];"]),
            ("_Z6othersv", [VECTOR]))
        self.assertEqual(self.rows(), [
            'array/reduce.cu,"reduce_elements<SumOp, float16>",2,1,0',
            'array/reduce.cu,"reduce_row_packs<SumOp, float>",16,3,0'])
        self.assertEqual(self.check(), (0, []))

    def test_braces_of_inline_assembly_end_no_kernel(self):
        block = ["{", ".reg .pred %p9;", f"@%p9 {VECTOR}", "}"]
        self.write((ROWS, [*block, *block, VECTOR]))
        self.assertEqual(self.rows(),
                         ['array/reduce.cu,"reduce_row_packs<SumOp, float>",16,3,0'])

    def test_only_divisions_in_loops_count(self):
        self.write((ROWS, ["div.s64 \t%rd1, %rd2, %rd3;", "$L__BB0_1:",
                           "rem.u64 \t%rd1, %rd2, %rd3;", "div.u32 \t%r1, %r2, %r3;",
                           "@%p1 bra \t$L__BB0_2;", "div.s64 \t%rd1, %rd2, %rd3;",
                           "$L__BB0_2:", "@!%p2 bra.uni \t$L__BB0_1;",
                           "div.s64 \t%rd1, %rd2, %rd3;"]))
        self.assertEqual(self.rows(),
                         ['array/reduce.cu,"reduce_row_packs<SumOp, float>",0,0,2'])

    def test_worse_is_refused_and_better_is_not(self):
        loop = ["$L__BB0_1:", VECTOR, VECTOR, "@%p2 bra \t$L__BB0_1;"]
        self.write((ROWS, loop))
        self.rows()
        self.write((ROWS, loop[:1] + [VECTOR] + loop[1:]))
        self.assertEqual(self.check(), (0, []))
        self.write((ROWS, [loop[0], SCALAR, "rem.s64 \t%rd1, %rd2, %rd3;", loop[3]]))
        kernel = "array/reduce.cu: reduce_row_packs<SumOp, float>: "
        self.assertEqual(self.check(), (1, [
            kernel + "bytes fell from 16 to 2", kernel + "loads fell from 2 to 1",
            kernel + "divisions rose from 0 to 1"]))

    def test_kernels_come_and_go_with_the_table(self):
        self.write((ROWS, [VECTOR]))
        self.rows()
        self.write((ELEMENTS, [SCALAR]))
        self.assertEqual(self.check(), (1, [
            "array/reduce.cu: reduce_elements<SumOp, float16> is not in the table of "
            "loads",
            "array/reduce.cu: reduce_row_packs<SumOp, float> is in the table of loads "
            "only"]))

    def test_patterns_without_a_kernel_are_an_error_if_asked_for(self):
        self.write((ROWS, [VECTOR]))
        self.rows()
        self.assertEqual(self.check()[0], 0)
        status, errors = self.check("--strict")
        self.assertEqual(status, 1)
        self.assertTrue(any("ExpOp" in error for error in errors))
        self.assertFalse(any("row_packs<SumOp" in error for error in errors))

    def test_a_gradient_without_a_kernel_is_an_error_of_its_own(self):
        self.write(("_Z10row_kernelI9SoftmaxOpfLb0ELb1EEvi", [VECTOR]),
                   ("_Z14reduce_columnsI12ProductTermsIfLi2EEfLi4EEvi", [VECTOR]))
        self.assertEqual(len(self.rows()), 2)
        errors = self.check("--strict")[1]
        for missing in ("row_kernel<SoftmaxGradient, .*", "window_kernel<WindowPlace, .*",
                        r"reduce_columns<MomentTerms<\w+>, .*",
                        "cell_(packs|kernel)<GruStepGradient, (float|double|float16|bfloat16)>"):
            self.assertIn(f"no kernel matches {missing}", errors)
        for found in ("row_kernel<SoftmaxOp, .*",
                      r"reduce_columns<ProductTerms<\w+,\s2>, .*"):
            self.assertNotIn(f"no kernel matches {found}", errors)

    def test_compressed_ptx_is_read(self):
        plain = make_ptx((ROWS, [VECTOR] * 4))
        name = ctypes.util.find_library("zstd")
        if name is None:
            self.object.write_bytes(make_object((1, b"\x28\xb5\x2f\xfd", len(plain))))
            self.assertIn("install the library zstd",
                          run("--update", self.table, self.object)[2])
            return
        space = ctypes.create_string_buffer(2 * len(plain))
        size = ctypes.CDLL(name).ZSTD_compress(space, ctypes.c_size_t(len(space)), plain,
                                               ctypes.c_size_t(len(plain)), 3)
        packed = space.raw[:size]
        cubin = make_elf([(ROWS, 20, 0, 0)])
        self.object.write_bytes(make_object((1, packed + bytes(5), len(plain)),
                                            (2, cubin)))
        self.assertEqual(self.rows(),
                         ['array/reduce.cu,"reduce_row_packs<SumOp, float>",16,4,0'])


if __name__ == "__main__":
    unittest.main()
