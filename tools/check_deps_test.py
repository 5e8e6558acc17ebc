#!/usr/bin/env python3
"""Tests check_deps on small trees, made up here."""

import contextlib
import importlib.machinery
import importlib.util
import io
import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
TOOL = str(pathlib.Path("tools/check_deps").resolve())
sys.path.insert(0, str(pathlib.Path(TOOL).parent))

loader = importlib.machinery.SourceFileLoader("check_deps", TOOL)
check_deps = importlib.util.module_from_spec(
    importlib.util.spec_from_loader("check_deps", loader))
loader.exec_module(check_deps)
check_deps.LINKED.clear()

MACROS = """
load("@rules_cc//cc:defs.bzl", "cc_library", "cc_test")

GIVEN = ["//base:error"]

cuda_objects = rule(implementation = None)

def library(name, srcs = None, hdrs = None, deps = [], test_deps = [],
            device_test_deps = None, **kwargs):
    cc_library(
        name = name,
        srcs = native.glob([name + ".cc"]) if srcs == None else srcs,
        hdrs = native.glob([name + ".h"]) if hdrs == None else hdrs,
        include_prefix = "catena/" + native.package_name(),
        deps = deps + [
            label
            for label in (GIVEN if native.package_name() == "given" else [])
            if label not in deps
        ],
        **kwargs
    )
    if native.glob([name + "_test.cc"]):
        cc_test(
            name = name + "_test",
            srcs = [name + "_test.cc"],
            deps = [":" + name] +
                   (test_deps if device_test_deps == None else device_test_deps),
        )

def kernel_library(name, hdrs = [], deps = [], cpu_srcs = [], cpu_deps = [],
                   cuda_srcs = [], cuda_deps = []):
    library(name = name + "_headers", hdrs = hdrs, deps = deps)
    library(
        name = name + "_cpu",
        srcs = cpu_srcs,
        visibility = ["//visibility:private"],
        deps = [":" + name + "_headers"] + deps + cpu_deps,
    )
    cuda_objects(
        name = name + "_cuda",
        srcs = cuda_srcs,
        deps = [":" + name + "_headers", "@cuda//:cudart"] + deps + cuda_deps,
    )
    library(
        name = name,
        hdrs = hdrs,
        deps = [":" + name + "_headers", ":" + name + "_cpu", ":" + name + "_cuda"],
    )
"""

LOAD = 'load("//:macros.bzl", "kernel_library", "library")\n\n'


class CheckDepsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        names = ("error", "text", "log")
        self.write({"macros.bzl": MACROS, "base/BUILD": LOAD + "\n".join(
            f'library(name = "{name}")\n' for name in names)})
        self.write({f"base/{name}.h": f"class {name.title()};\n" for name in names})

    def write(self, files):
        for path, text in files.items():
            (self.root / path).parent.mkdir(parents=True, exist_ok=True)
            (self.root / path).write_text(text)

    def run_tool(self, *arguments):
        """Runs the tool; returns its status and what it prints."""
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            status = check_deps.main(self.root, list(arguments))
        return status, output.getvalue()

    def fixed(self, build, files, folder="x"):
        """Returns a BUILD file as --fix leaves it, with sources by their includes."""
        self.write({f"{folder}/BUILD": LOAD + build})
        for name, includes in files.items():
            lines = [f'#include "catena/{path}"' for path in includes.split()]
            self.write({f"{folder}/{name}": "\n".join(lines + ["class A;", ""])})
        status, _ = self.run_tool("--fix")
        self.assertFalse(status)
        result = (self.root / folder / "BUILD").read_text()
        self.assertEqual(self.run_tool(), (False, ""))
        return result.removeprefix(LOAD)

    def test_adds_what_is_included_and_removes_the_rest(self):
        self.assertEqual(self.fixed("""\
library(
    name = "a",
    deps = [
        "//base:text",
        # Why it is needed.
        "//base:log",
    ],
)
""", {"a.h": "base/error.h", "a.cc": "x/a.h base/log.h"}), """\
library(
    name = "a",
    deps = [
        "//base:error",
        # Why it is needed.
        "//base:log",
    ],
)
""")

    def test_writes_attributes_where_buildifier_has_them(self):
        self.assertEqual(self.fixed("""\
library(name = "a")

library(
    name = "b",
    # Only one.
    deps = ["//base:text"],
)

library(
    name = "c",
    hdrs = ["c.h"],
    alwayslink = True,
)
""", {"a.h": "base/text.h base/error.h", "b.h": "", "c.h": "x/b.h"}), """\
library(
    name = "a",
    deps = [
        "//base:error",
        "//base:text",
    ],
)

library(name = "b")

library(
    name = "c",
    hdrs = ["c.h"],
    deps = [":b"],
    alwayslink = True,
)
""")

    def test_a_test_has_the_deps_of_its_library(self):
        self.assertEqual(self.fixed("""\
library(
    name = "a",
    test_deps = ["//base:error"],
)
""", {"a.h": "base/error.h", "a_test.cc": "x/a.h base/error.h base/text.h"}), """\
library(
    name = "a",
    test_deps = ["//base:text"],
    deps = ["//base:error"],
)
""")

    def test_a_test_that_only_its_source_names_gets_deps(self):
        self.assertEqual(
            self.fixed('library(name = "a")\n', {"a.h": "", "a_test.cc": "base/text.h"}),
            'library(\n    name = "a",\n    test_deps = ["//base:text"],\n)\n')

    def test_deps_of_a_test_that_is_gone_are_removed(self):
        self.assertEqual(
            self.fixed('library(\n    name = "a",\n    test_deps = ["//base:text"],\n)\n',
                       {"a.h": ""}),
            'library(name = "a")\n')

    def test_empty_deps_that_say_what_the_test_is_stay(self):
        build = 'library(\n    name = "a",\n    device_test_deps = [],\n)\n'
        self.assertEqual(self.fixed(build, {"a.h": "", "a_test.cc": "x/a.h"}), build)

    def test_what_only_cuda_sources_include_is_in_cuda_deps(self):
        self.write({"x/a_cuda.cu": '#include "catena/base/log.h"\n'
                                   '#include "catena/base/text.h"\n'})
        self.assertEqual(self.fixed("""\
kernel_library(
    name = "a",
    hdrs = ["a.h"],
    cpu_srcs = ["a_cpu.cc"],
    cuda_srcs = ["a_cuda.cu"],
    deps = ["//base:text"],
)
""", {"a.h": "", "a_cpu.cc": "base/error.h base/log.h"}), """\
kernel_library(
    name = "a",
    hdrs = ["a.h"],
    cpu_deps = ["//base:error"],
    cpu_srcs = ["a_cpu.cc"],
    cuda_deps = ["//base:text"],
    cuda_srcs = ["a_cuda.cu"],
    deps = ["//base:log"],
)
""")

    def test_what_nvcc_includes_through_a_header_is_in_cuda_deps(self):
        self.write({"base/error.h": '#ifdef __CUDACC__\n'
                                    '#include "catena/base/text.h"\n'
                                    '#else\n'
                                    '#include "catena/base/log.h"\n'
                                    '#endif\nclass Error;\n'})
        self.run_tool("--fix")
        self.assertIn('    name = "error",\n    deps = [":log"],',
                      (self.root / "base/BUILD").read_text())
        self.assertIn('"//base:text"', self.fixed("""\
kernel_library(
    name = "a",
    cuda_srcs = ["a_cuda.cu"],
)
""", {"a_cuda.cu": "base/error.h"}))

    def test_a_target_that_moved_is_found_by_its_name(self):
        self.write({"old/BUILD": LOAD + """\
library(
    name = "all_kinds",
    hdrs = ["kind.h"],
)

library(
    name = "kinds",
    hdrs = ["kind.h"],
)
""", "old/kind.h": "class Kind;\n"})
        self.assertIn('deps = ["//old:kinds"]', self.fixed(
            'library(\n    name = "a",\n    deps = ["//older:kinds"],\n)\n',
            {"a.h": "old/kind.h"}))

    def test_prefers_the_target_that_is_there(self):
        self.write({"old/BUILD": LOAD + "\n".join(
            f'library(\n    name = "{name}",\n    hdrs = ["kind.h"],\n)\n'
            for name in ("kind", "other")), "old/kind.h": "class Kind;\n"})
        self.assertIn("//old:other", self.fixed(
            'library(\n    name = "a",\n    deps = ["//old:other"],\n)\n',
            {"a.h": "old/kind.h"}))
        self.assertIn("//old:kind", self.fixed('library(name = "a")\n',
                                               {"a.h": "old/kind.h"}, folder="y"))

    def test_a_target_that_gathers_others_stands_for_them(self):
        self.write({"base/BUILD": (self.root / "base/BUILD").read_text() +
                    '\nlibrary(\n    name = "base",\n    deps = [\n        ":error",\n'
                    '        ":text",\n    ],\n)\n'})
        self.assertIn('deps = ["//base"]', self.fixed("""\
library(
    name = "a",
    deps = [
        "//base",
        "//base:text",
    ],
)
""", {"a.h": "base/error.h base/text.h"}))

    def test_what_macros_give_is_not_listed(self):
        self.assertEqual(self.fixed(
            'library(\n    name = "a",\n    deps = ["//base:error"],\n)\n',
            {"a.h": "base/error.h"}, folder="given"), 'library(name = "a")\n')

    def test_lists_that_are_computed_stay(self):
        build = """\
library(
    name = "a",
    deps = ["//base:error"] + select({
        "//:x": ["//base:text"],
        "//conditions:default": [],
    }),
)
"""
        self.assertEqual(self.fixed(build, {"a.h": "base/error.h base/text.h"}), build)

    def test_only_prints_differences_without_fix(self):
        build = LOAD + 'library(name = "a")\n'
        self.write({"x/BUILD": build, "x/a.h": '#include "catena/base/text.h"\n'})
        status, output = self.run_tool()
        self.assertTrue(status)
        self.assertIn("//x:a: deps: + //base:text  # x/a.h includes catena/base/text.h",
                      output)
        self.assertEqual((self.root / "x/BUILD").read_text(), build)

    def test_fails_for_a_header_without_target(self):
        self.write({"x/BUILD": LOAD + 'library(name = "a")\n',
                    "x/a.h": '#include "catena/base/none.h"\n'})
        status, output = self.run_tool("--fix")
        self.assertTrue(status)
        self.assertIn("no target exports", output)

    def test_names_the_labels_of_macros_that_do_not_exist(self):
        self.write({"macros.bzl": MACROS.replace("//base:error", "//base:eror"),
                    "given/BUILD": LOAD + 'library(name = "a")\n', "given/a.h": ""})
        with self.assertRaisesRegex(SystemExit, "//base:eror"):
            self.run_tool("--fix")


if __name__ == "__main__":
    unittest.main()
