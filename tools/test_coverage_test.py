#!/usr/bin/env python3
"""Tests test_coverage on a program of three files.

Clang compiles and measures it if it is there; otherwise what it came to is in EXPORT.
"""

import argparse
import contextlib
import io
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, "tools")
from fake_pack import load_script, write_program

test_coverage = load_script("test_coverage")

HAS_CLANG_19 = all(map(shutil.which, ["clang++-19", "llvm-profdata-19", "llvm-cov-19"]))
HAS_CLANG = all(map(shutil.which, ["clang++", "llvm-profdata", "llvm-cov"]))
BAZELRC = pathlib.Path(".bazelrc").read_text()
# How Bazel presents the header to compilers.
VIRTUAL = "bazel-out/bin/demo/_virtual_includes/sign"

SOURCES = {
    "demo/sign.h": """#pragma once
template <class T>
int sign(T x) {
  if (x > 0) return 1;
  return x < 0 ? -1 : 0;
}
template <class T>
bool is_wide(T) {
  bool wide = false;
  if constexpr (sizeof(T) > 4) wide = true;
  return wide;
}
inline int unused() { return 7; }
""",
    "demo/add.cc": """#include "catena/demo/sign.h"
int add(int a, int b) {
  if (a > 100 || b > 100) {
    a = 100;
    return a;
  }
  int sum = sign(a) == 0 ? b : a + b;
  switch (b) {
    case 1:
      sum = a + 1;
      break;
    default:
      break;
  }
  return sum;
}
""",
    "demo/add_test.cc": """#include "catena/demo/sign.h"
int add(int a, int b);
int main() { return add(1, 2) == 3 && sign(-1.0) == -1 && is_wide(1.0) ? 0 : 1; }
""",
}
OTHERS = ["demo/a_kernels.cc", "demo/testing/b.cc", "tests/support/demo.h", "other/demo.h"]

# One instantiation of the template is in the test, the other in the library.
EXPORT = {"data": [{"files": [
    {"filename": "demo/add.cc",
     "branches": [[3, 7, 3, 14, 0, 1, 0, 0, 4], [3, 18, 3, 25, 0, 1, 0, 0, 4],
                  [7, 13, 7, 25, 0, 1, 0, 0, 4], [9, 5, 9, 11, 0, 1, 0, 0, 4],
                  [12, 5, 12, 12, 1, 0, 0, 0, 4]],
     "segments": [[2, 23, 1, True, True, False], [3, 7, 1, True, True, False],
                  [3, 14, 1, True, False, False], [3, 18, 1, True, True, False],
                  [3, 25, 1, True, False, False], [3, 26, 0, True, False, True],
                  [3, 27, 0, True, True, False], [6, 4, 1, True, False, True],
                  [7, 3, 1, True, True, False], [7, 13, 1, True, True, False],
                  [7, 25, 1, True, False, False], [7, 27, 0, True, False, True],
                  [7, 28, 0, True, True, False], [7, 29, 1, True, False, False],
                  [7, 32, 1, True, True, False], [7, 37, 1, True, False, False],
                  [8, 14, 0, True, False, True], [9, 5, 0, True, True, False],
                  [11, 12, 0, True, False, True], [12, 5, 1, True, True, False],
                  [13, 12, 1, True, False, False], [15, 3, 1, True, True, False],
                  [15, 13, 1, True, False, False], [16, 2, 0, False, False, False]]},
    {"filename": VIRTUAL + "/catena/demo/sign.h",
     "branches": [[4, 7, 4, 12, 0, 1, 0, 0, 4], [5, 10, 5, 15, 1, 0, 0, 0, 4],
                  [10, 17, 10, 30, 0, 0, 0, 0, 4], [4, 7, 4, 12, 1, 0, 0, 0, 4],
                  [5, 10, 5, 15, 0, 0, 0, 0, 4]],
     "segments": [[3, 15, 2, True, True, False], [4, 7, 2, True, True, False],
                  [4, 12, 2, True, False, False], [4, 13, 1, True, False, True],
                  [4, 14, 1, True, True, False], [4, 22, 2, True, False, False],
                  [4, 23, 1, True, False, True], [5, 3, 1, True, True, False],
                  [5, 10, 1, True, True, False], [5, 15, 1, True, False, False],
                  [5, 18, 1, True, True, False], [5, 20, 1, True, False, False],
                  [5, 23, 0, True, True, False], [5, 24, 2, True, False, False],
                  [6, 2, 0, False, False, False], [8, 17, 1, True, True, False],
                  [10, 17, 1, True, True, False], [10, 30, 1, True, False, False],
                  [10, 32, 1, True, True, False], [10, 43, 1, True, False, False],
                  [12, 2, 0, False, False, False], [13, 21, 0, True, True, False],
                  [13, 34, 0, False, False, False]]}]}]}

REPORT = """\
demo/add.cc:  60.0 % of 15 lines,  50.0 % of 10 branches
  3: never true: a > 100
  3: never true: b > 100
  4: never run, up to 6
  7: never true: sign(a) == 0
  9: never run, up to 11
  9: never true: case 1
  12: never false: default
demo/sign.h:  90.0 % of 10 lines,  75.0 % of 4 branches
  5: never false: x < 0
  13: never run
all:  72.0 % of 25 lines,  57.1 % of 14 branches
"""

# Each condition is true and false, but only between the two calls with a == 1 does one
# change alone what comes out. Half of the template is in another instantiation.
CONDITIONS = """template <class T>
bool is_set(T a, T b, T c) {
  return (a > 0 && b > 0) || c > 0;
}
int main() {
  is_set(1, 1, 0), is_set(0, 0, 1);
  is_set(1.0, 1.0, 0.0), is_set(1.0, 0.0, 0.0);
  return 0;
}
"""
CONDITIONS_EXPORT = {"data": [{"files": [{
    "filename": "demo/set.cc",
    "branches": [[3, 11, 3, 16, 1, 1, 0, 0, 6], [3, 20, 3, 25, 1, 0, 0, 0, 6],
                 [3, 30, 3, 35, 1, 0, 0, 0, 6], [3, 11, 3, 16, 2, 0, 0, 0, 6],
                 [3, 20, 3, 25, 1, 1, 0, 0, 6], [3, 30, 3, 35, 0, 1, 0, 0, 6]],
    "mcdc_records": [[3, 10, 3, 35, 0, 5, [False, False, False]],
                     [3, 10, 3, 35, 0, 5, [False, True, False]]],
    "segments": [[2, 28, 4, True, True, False], [4, 2, 0, False, False, False],
                 [5, 12, 1, True, True, False], [9, 2, 0, False, False, False]]}]}]}

CONDITIONS_REPORT = """\
demo/set.cc: 100.0 % of 8 lines, 100.0 % of 6 branches,  33.3 % of 3 conditions
  3: never alone in what it decides: a > 0
  3: never alone in what it decides: c > 0
all: 100.0 % of 8 lines, 100.0 % of 6 branches,  33.3 % of 3 conditions
"""

# Behaves like Bazel with two tests; one is a script.
BAZELW = """#!/usr/bin/env python3
import json, os, pathlib, shlex, subprocess, sys, zipfile
root = pathlib.Path(__file__).parent
options = dict(argument.partition("=")[::2] for argument in sys.argv[1:])
(root / "arguments").write_text(" ".join(sys.argv[1:]))
pathlib.Path(options["--build_event_json_file"]).write_text("".join(
    json.dumps({"id": {kind: {"label": label}}}) + "\\n" for kind, label in
    [("testResult", "//demo:add_test"), ("testResult", "//demo:script_test"),
     ("targetCompleted", "//demo:other")]))
outputs = root / "outputs"
outputs.mkdir(exist_ok=True)
status = subprocess.run([*shlex.split(options["--run_under"]), "bazel-bin/demo/add_test"],
                        env={**os.environ, "TEST_UNDECLARED_OUTPUTS_DIR": str(outputs)},
                        cwd=root, stdin=subprocess.DEVNULL).returncode
if (root / "profile").exists():
    (outputs / "1.profraw").touch()
found = root / "bazel-testlogs/demo/add_test/test.outputs"
found.mkdir(parents=True, exist_ok=True)
with zipfile.ZipFile(found / "outputs.zip", "w") as archive:
    for path in outputs.iterdir():
        archive.write(path, path.name)
sys.exit(status or (3 if (root / "fails").exists() else 0))
"""


def copts(config="branches"):
    """The flags with which --config=... compiles."""
    lines = re.findall(rf"^build:{config} .*?(--copt=.*)", BAZELRC, re.MULTILINE)
    return [word.removeprefix("--copt=") for line in lines for word in line.split()]


def compile_to(folder):
    """Compiles the program as Bazel does in its sandbox."""
    header = folder / VIRTUAL / "catena/demo/sign.h"
    header.parent.mkdir(parents=True)
    for name, text in SOURCES.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    header.symlink_to(folder / "demo/sign.h")
    subprocess.run(["clang++", "-std=c++20", *copts(), "-I" + VIRTUAL, "demo/add_test.cc",
                    "demo/add.cc", "-o", "add_test"], cwd=folder, check=True)


class TestCoverageTest(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.build = pathlib.Path(scratch.name)
        if HAS_CLANG:
            compile_to(cls.build)

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.root = pathlib.Path(scratch.name)
        self.table = self.root / "tools/test_coverage.csv"
        self.table.parent.mkdir()
        for name, text in SOURCES.items():
            (self.root / name).parent.mkdir(exist_ok=True)
            (self.root / name).write_text(text)
        write_program(self.root / "bazelw", BAZELW)
        write_program(self.root / "bazel-bin/demo/script_test", "#!/bin/sh\n")
        self.replace("ROOT", self.root)
        self.replace("output", self.output)
        if HAS_CLANG:
            shutil.copy(self.build / "add_test", self.root / "bazel-bin/demo")
        else:
            shutil.copy("/bin/sh", self.root / "bazel-bin/demo/add_test")
            (self.root / "profile").touch()
            self.replace("export_of", lambda *arguments: EXPORT)
            self.addCleanup(setattr, shutil, "which", shutil.which)
            shutil.which = lambda name: name

    def replace(self, name, value):
        self.addCleanup(setattr, test_coverage, name, getattr(test_coverage, name))
        setattr(test_coverage, name, value)

    def output(self, *command):
        """In the place of git, which a test has no repository for."""
        if command == ("git", "ls-files"):
            return "\n".join([*SOURCES, *OTHERS])
        return subprocess.run(command, check=True, text=True, cwd=self.root,
                              stdout=subprocess.PIPE).stdout

    def except_from(self, *rows):
        self.table.write_text("file,line,side,reason\n" + "".join(
            ",".join(f'"{value}"' for value in row) + "\n" for row in rows))

    def run_it(self, *arguments):
        """Returns the exit code and what was printed."""
        out = io.StringIO()
        sys.argv = ["test_coverage", *arguments]
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
            try:
                status = test_coverage.main()
            except SystemExit as error:
                status = error.code
        return status, out.getvalue()

    def test_files_and_what_no_test_reaches_are_printed(self):
        self.assertEqual(self.run_it("//demo/..."), (0, REPORT))
        self.assertEqual(self.run_it("//demo:all"), (0, REPORT))

    def test_bazel_is_asked_for_these_tests(self):
        self.run_it("//demo/...", "//tests:some_test", "--bazel=--config=ci --jobs=1")
        arguments = (self.root / "arguments").read_text()
        self.assertRegex(arguments, "^test --config=branches .*--config=ci --jobs=1 -- "
                         "//demo/... //tests:some_test$")

    def test_a_share_below_what_is_wanted_fails(self):
        self.assertEqual(self.run_it("//demo/...", "--below=50")[0], 0)
        for below, files in [(57, "demo/add.cc"), (60, "demo/add.cc, all"),
                             (100, "demo/add.cc, demo/sign.h, all")]:
            status, text = self.run_it("//demo/...", f"--below={below}")
            self.assertEqual(status, 1)
            self.assertTrue(text.endswith(f"expected at least {below} %, got less for {files}\n"),
                            text)

    def test_listed_branches_and_what_only_they_lead_to_do_not_count(self):
        self.except_from(
            ("demo/add.cc", "if (a > 100 || b > 100) {", "true", "too large"),
            ("demo/add.cc", "int sum = sign(a) == 0 ? b : a + b;", "true", "not zero"),
            ("demo/add.cc", "case 1:", "true", "not one"),
            ("demo/add.cc", "default:", "false", "not one"),
            ("demo/sign.h", "return x < 0 ? -1 : 0;", "false", "not zero"))
        status, text = self.run_it("//demo/...", "--below=75")
        self.assertEqual((status, text), (0, """\
demo/add.cc: 100.0 % of 9 lines, 100.0 % of 5 branches
demo/sign.h:  90.0 % of 10 lines, 100.0 % of 3 branches
  13: never run
all:  94.7 % of 19 lines, 100.0 % of 8 branches
"""))

    def conditions(self, export, below=None):
        """Returns whether they are as wanted, and what was printed."""
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            is_good = test_coverage.report(
                export, ["demo/set.cc"], test_coverage.Exceptions(self.table),
                argparse.Namespace(below=below, mcdc=True))
        return is_good, out.getvalue()

    def test_conditions_that_decide_nothing_alone_are_printed(self):
        (self.root / "demo/set.cc").write_text(CONDITIONS)
        self.assertEqual(self.conditions(CONDITIONS_EXPORT), (True, CONDITIONS_REPORT))
        self.assertFalse(self.conditions(CONDITIONS_EXPORT, below=50)[0])
        if HAS_CLANG_19:
            subprocess.run(["clang++-19", "-std=c++20", *copts("branches"), *copts("mcdc"),
                            "demo/set.cc", "-o", "set"], cwd=self.root, check=True)
            subprocess.run(["./set"], cwd=self.root, check=True,
                           env={**os.environ, "LLVM_PROFILE_FILE": "profile"})
            export = test_coverage.export_of(["./set"], ["profile"], self.root, "-19")
            self.assertEqual(self.conditions(export), (True, CONDITIONS_REPORT))

    def test_branches_of_a_decision_or_inside_of_a_condition_are_no_conditions(self):
        exported, = CONDITIONS_EXPORT["data"][0]["files"]
        plain, other = test_coverage.Measured(), test_coverage.Measured()
        plain.add(exported)
        whole, inside = [3, 10, 3, 35, 1, 1, 0, 0, 6], [3, 22, 3, 24, 1, 1, 0, 0, 6]
        other.add({**exported, "branches": [*exported["branches"], whole, inside]})
        self.assertEqual(list(other.conditions()), list(plain.conditions()))
        self.assertEqual(len(list(plain.conditions())), 3)

    def test_listed_conditions_need_not_decide_alone(self):
        (self.root / "demo/set.cc").write_text(CONDITIONS)
        line = "return (a > 0 && b > 0) || c > 0;"
        self.except_from(("demo/set.cc", line, "alone", "of no use"))
        self.assertEqual(self.conditions(CONDITIONS_EXPORT, below=100), (True, """\
demo/set.cc: 100.0 % of 8 lines, 100.0 % of 6 branches, 100.0 % of 1 conditions
all: 100.0 % of 8 lines, 100.0 % of 6 branches, 100.0 % of 1 conditions
"""))
        self.except_from(("demo/set.cc", "is_set(1, 1, 0), is_set(0, 0, 1);", "alone", "old"))
        self.assertIn("never alone in what it decides: delete the exception",
                      self.conditions(CONDITIONS_EXPORT)[1])

    def test_exceptions_that_are_none_fail(self):
        for row, message in [
                (("demo/add.cc", "return sum;", "true", "why"), "has no branch that is never true"),
                (("demo/add.cc", "case 1:", "false", "why"), "has no branch that is never false"),
                (("demo/add.cc", "case 1:", "both", "why"), "has no branch that is never false"),
                (("demo/add.cc", "case 2:", "true", "why"), "has no line 'case 2:'"),
                (("demo/old.cc", "case 1:", "true", "why"), "there is no demo/old.cc"),
                (("demo/add.cc", "case 1:", "yes", "why"), "expected a side"),
                (("demo/add.cc", "case 1:", "true", ""), "and a reason")]:
            self.except_from(row)
            status, text = self.run_it("//demo/...")
            self.assertEqual(status, 1, row)
            self.assertIn("test_coverage.csv:2: ", text)
            self.assertIn(message, text)

    def test_exceptions_of_files_that_are_not_measured_are_left_alone(self):
        (self.root / "demo/other.cc").write_text("if (x) {\n")
        self.except_from(("demo/other.cc", "if (x) {", "both", "why"))
        self.assertEqual(self.run_it("//demo/...")[0], 0)

    def test_sources_that_no_program_has_are_named(self):
        OTHERS.append("demo/gpu.cc")
        self.addCleanup(OTHERS.remove, "demo/gpu.cc")
        status, text = self.run_it("//demo/...")
        self.assertEqual(status, 0)
        self.assertIn("demo/gpu.cc: in none of the programs\n", text)
        status, text = self.run_it("//demo/...", "--below=10")
        self.assertEqual(status, 1)
        self.assertIn("got less for demo/gpu.cc\n", text)

    def test_nothing_is_measured_if_a_test_fails(self):
        (self.root / "fails").touch()
        status, text = self.run_it("//demo/...")
        self.assertEqual((status, text), (1, "test_coverage: not all tests pass, see above\n"))

    def test_a_test_without_a_profile_is_named(self):
        (self.root / "profile").unlink(missing_ok=True)
        shutil.copy("/bin/sh", self.root / "bazel-bin/demo/add_test")
        status, text = self.run_it("//demo/...")
        self.assertEqual((status, text), (1, "test_coverage: //demo:add_test left no profile\n"))

    def test_senseless_arguments_are_refused_by_name(self):
        for arguments, message in [(["--below=101"], "--below"), (["--below=0"], "--below"),
                                   (["--under=90"], "--under"), (["demo"], "demo"),
                                   (["//nowhere/..."], "//nowhere/...")]:
            status, text = self.run_it(*arguments)
            self.assertEqual(status, 2, arguments)
            self.assertIn(message, text)
        self.assertFalse((self.root / "arguments").exists())


if __name__ == "__main__":
    unittest.main()
