#!/usr/bin/env python3
"""Tests install.py on made-up libraries and headers."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

TOOLS = pathlib.Path("tools/install").resolve()


class InstallTest(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name, "sources")
        self.prefix = pathlib.Path(folder.name, "new", "prefix")
        self.write("array/all.h", '#include <vector>\n#include "catena/array/array.h"\n')
        self.write("array/array.h", '#include "absl/container/inlined_vector.h"\n'
                                    "#ifdef CATENA_BASELINE\n#endif\n")
        self.write("array/unused.h", "")
        self.write("data/digits.csv", "1,2\n")
        self.write("LICENSE", "free\n")
        self.write("bin/libcatena.so", "first")
        self.write("bin/libcatena_caffe.so", "first")
        self.set_version("0.1.2")
        templates = ["catena.pc.in", "catena-config.cmake.in",
                     "catena-config-version.cmake.in"]
        for name in templates:
            self.write(name, (TOOLS / name).read_text())
        self.contents = {
            "manifest": "manifest.json",
            "root": ".",
            "roots": ["array/all.h"],
            "headers": ["array/all.h", "array/array.h", "array/unused.h"],
            "libraries": ["bin/libcatena.so", "bin/libcatena_caffe.so"],
            "targets": {"catena": ["array", "links"], "catena_caffe": ["caffe"]},
            "data": ["data/digits.csv"],
            "license": "LICENSE",
            "version_file": "MODULE.bazel",
            "templates": templates,
            "defines": ["CATENA_BASELINE", 'OF_A_SOURCE="x"'],
            "cuda": False,
        }

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def set_version(self, version):
        self.write("MODULE.bazel", f'module(\n    name = "catena",\n    version = "{version}",\n)\n')

    def run_install(self, *arguments, **environment):
        self.write("manifest.json", json.dumps(self.contents))
        return subprocess.run(
            [sys.executable, TOOLS / "install.py", "--manifest",
             self.root / "manifest.json", *arguments],
            text=True, capture_output=True, check=False, env={**os.environ, **environment})

    def install(self):
        result = self.run_install(f"--prefix={self.prefix}")
        self.assertEqual(result.returncode, 0, result.stderr)

    def files(self):
        return {str(path.relative_to(self.prefix)) for path in self.prefix.rglob("*")
                if not path.is_dir()}

    def test_installs_what_the_roots_include(self):
        self.install()
        self.assertEqual(self.files(), {
            "include/catena/array/all.h", "include/catena/array/array.h",
            "lib/libcatena.so", "lib/libcatena.so.0.1", "lib/libcatena.so.0.1.2",
            "lib/libcatena_caffe.so", "lib/libcatena_caffe.so.0.1",
            "lib/libcatena_caffe.so.0.1.2",
            "lib/cmake/catena/catena-config.cmake",
            "lib/cmake/catena/catena-config-version.cmake",
            "lib/pkgconfig/catena.pc",
            "share/catena/LICENSE", "share/catena/data/digits.csv",
            "share/catena/installed_files.txt"})
        self.assertEqual(os.readlink(self.prefix / "lib/libcatena.so"), "libcatena.so.0.1")
        self.assertEqual((self.prefix / "lib/libcatena.so").read_text(), "first")

    def test_names_the_packages_that_headers_need(self):
        self.install()
        config = (self.prefix / "lib/cmake/catena/catena-config.cmake").read_text()
        self.assertIn("find_dependency(absl)\n", config)
        self.assertNotIn("find_dependency(CUDAToolkit)", config)
        self.assertIn("_catena_add_library(catena libcatena.so.0.1.2 libcatena.so.0.1 "
                      "absl::inlined_vector)", config)
        self.assertIn("_catena_add_folder(links catena::catena)", config)
        self.assertIn("_catena_add_library(caffe libcatena_caffe.so.0.1.2 "
                      "libcatena_caffe.so.0.1 catena::catena)", config)
        self.assertIn('INTERFACE_COMPILE_DEFINITIONS "CATENA_BASELINE"', config)
        module = (self.prefix / "lib/pkgconfig/catena.pc").read_text()
        self.assertIn("\nRequires: absl_inlined_vector\n", module)
        self.assertIn("-DCATENA_BASELINE\n", module)
        self.assertIn("\nVersion: 0.1.2\n", module)

    def test_records_that_it_is_made_for_cuda(self):
        self.contents["cuda"] = True
        self.install()
        config = (self.prefix / "lib/cmake/catena/catena-config.cmake").read_text()
        self.assertIn("find_dependency(CUDAToolkit)\n", config)
        self.assertIn("set(catena_WITH_CUDA ON)\n", config)
        self.assertIn("with CUDA", (self.prefix / "lib/pkgconfig/catena.pc").read_text())

    def test_a_program_that_runs_keeps_its_library(self):
        self.install()
        with open(self.prefix / "lib/libcatena.so") as running:
            self.write("bin/libcatena.so", "second")
            self.install()
            self.assertEqual(running.read(), "first")
        self.assertEqual((self.prefix / "lib/libcatena.so").read_text(), "second")

    def test_removes_what_is_no_longer_there(self):
        self.install()
        self.write("array/all.h", "")
        (self.prefix / "include/catena/mine.h").write_text("")
        self.set_version("1.2.0")
        self.install()
        self.assertEqual({name for name in self.files()
                          if name.startswith(("include", "lib/libcatena.so"))}, {
            "include/catena/array/all.h", "include/catena/mine.h",
            "lib/libcatena.so", "lib/libcatena.so.1", "lib/libcatena.so.1.2.0"})

    def test_a_relative_prefix_is_where_bazel_was_started(self):
        result = self.run_install("--prefix=here", BUILD_WORKING_DIRECTORY=str(self.root))
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertTrue((self.root / "here/lib/libcatena.so").exists())

    def test_names_a_prefix_to_which_it_cannot_write(self):
        self.write("file", "")
        result = self.run_install(f"--prefix={self.root}/file/prefix")
        self.assertEqual(result.returncode, 1)
        self.assertIn(f"cannot write to the prefix {self.root}/file/prefix: Not a directory",
                      result.stderr)
        self.assertNotIn("Traceback", result.stderr)

    def test_names_what_it_does_not_know(self):
        self.write("array/array.h", "#include <other/library.h>\n")
        result = self.run_install(f"--prefix={self.prefix}")
        self.assertEqual(result.returncode, 1)
        self.assertIn("a header includes other/library.h, of an unknown package",
                      result.stderr)
        self.write("array/array.h", '#include "catena/array/hidden.h"\n')
        result = self.run_install(f"--prefix={self.prefix}")
        self.assertIn("no library exports the header array/hidden.h", result.stderr)
        self.assertFalse((self.prefix / "lib").exists())

    def test_says_how_it_is_used(self):
        self.assertIn("--prefix=DIR", self.run_install("--help").stdout)
        result = self.run_install()
        self.assertEqual(result.returncode, 2)
        self.assertIn("--prefix=DIR is missing", result.stderr)


if __name__ == "__main__":
    unittest.main()
