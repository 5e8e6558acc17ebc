#!/usr/bin/env python3
"""Tests mutate with a small tree and a bazelw that plays tests."""

import contextlib
import csv
import io
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

sys.path.insert(0, "tools")
from fake_pack import load_script, write_program

mutate = load_script("mutate")

SOURCE = """// a < b in a comment
#include <a + b>
namespace demo {

bool is_small(int x) {
  if (x == -1) raise<ValueError>("is_small", "0 < x");
  print("1 == 1");  // x - 1
  return x < kLimit && !done;
}

}  // namespace demo
"""

# Tests fail for a source with <=, hang for one with ||, and do not compile without the !;
# the tests of the folder notice nothing, so the others are asked, too.
BAZELW = """#!/usr/bin/env bash
source=$(cat demo/small.cc)
if [[ $1 == query ]]; then
  cat graph.xml
  exit
fi
[[ $1 == test ]] || exit 0
if [[ "$*" == *//far:b_test* ]]; then
  echo 'ERROR: Target //far:b_test is incompatible and cannot be built'
  exit 1
fi
if [[ $source != *"!done"* ]]; then
  echo 'demo/small.cc:8: error: expected another type'
  exit 1
fi
[[ $source != *"||"* ]] || exec sleep 60
[[ $source != *"<="* || "$*" != *//other* ]] || exit 3
"""


# What each target of the tree is made of.
GRAPH = {
    "//demo:small": ["//demo:small.cc", "//demo:small.h"],
    "//demo:small_test": ["//demo:small", "//demo:small_test.cc"],
    "//demo:symbols_test": ["//demo:small"],
    "//demo:large_test": ["//demo:large_test.cc"],
    "//other:other": ["//demo:small"],
    "//other:small_test": ["//demo:small"],
    "//far:far": ["//other:other"],
    "//far:a_test": ["//other:other"],
    "//far:b_test": ["//other:other"],
    "//further:c_test": ["//far:far"],
}


def graph_xml():
    rules = "".join(
        f'<rule class="cc_{"test" if name.endswith("_test") else "library"}" name="{name}">' +
        "".join(f'<rule-input name="{used}"/>' for used in inputs) + "</rule>"
        for name, inputs in GRAPH.items())
    return f'<?xml version="1.1" encoding="UTF-8"?>\n<query version="2">{rules}</query>\n'


class MutateTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.tree = pathlib.Path(folder.name)
        demo = self.tree / "demo"
        demo.mkdir()
        (demo / "BUILD").touch()
        self.source = demo / "small.cc"
        self.source.write_text(SOURCE)
        (demo / "small_test.cc").write_text(SOURCE)
        write_program(self.tree / "bazelw", BAZELW)
        (self.tree / "graph.xml").write_text(graph_xml())
        (self.tree / "tools").mkdir()
        subprocess.run("git init -q && git -c user.name=a -c user.email=a@b commit -q "
                       "--allow-empty -m demo", shell=True, check=True, cwd=self.tree)
        mutate.ROOT = self.tree

    def run_main(self, *arguments):
        output = io.StringIO()
        sys.argv = ["mutate", *arguments]
        with contextlib.redirect_stdout(output):
            status = mutate.main()
        self.assertEqual(self.source.read_text(), SOURCE)
        return int(status), output.getvalue()

    def changes(self):
        return {change.what: change for change in
                mutate.changes_of(pathlib.Path("demo/small.cc"), SOURCE)}

    def test_changes_operators_of_code_alone(self):
        self.assertEqual([change.changed.strip() for change in self.changes().values()],
                         ["return x <= kLimit && !done;",
                          "return x < kLimit || !done;",
                          "return x < kLimit && done;"])

    def test_tests_of_the_folder_come_first_then_the_nearest(self):
        small = pathlib.Path("demo/small.cc")
        dependents = mutate.Dependents()

        def tests(depth, others):
            return list(mutate.tests_of(dependents, small, depth, others))

        near, next_to_it = ["//demo:small_test"], ["//other:small_test"]
        self.assertEqual(tests(2, 9), [near, next_to_it])
        self.assertEqual(tests(3, 9), [near, next_to_it, ["//far:a_test", "//far:b_test"]])
        self.assertEqual(tests(3, 2), [near, next_to_it, ["//far:a_test"]])
        self.assertEqual(tests(3, 0), [near])
        self.assertEqual(tests(4, 9)[3:], [["//further:c_test"]])

    def test_a_source_without_tests_nearby_gets_those_that_are_twice_as_far(self):
        lone = pathlib.Path("other/lone.cc")
        with mock.patch.dict(GRAPH, {"//other:other": ["//other:lone.cc"],
                                     "//other:small_test": []}):
            (self.tree / "graph.xml").write_text(graph_xml())
        (self.tree / "other").mkdir()
        (self.tree / "other/BUILD").touch()
        dependents = mutate.Dependents()
        self.assertEqual(list(mutate.tests_of(dependents, lone, 1, 9)),
                         [["//far:a_test", "//far:b_test"]])

    def test_changes_nothing_that_a_script_wrote(self):
        (self.source.parent / "table.cc").write_text("// By a script. Do not edit.\n" + SOURCE)
        self.assertEqual([str(file) for file in mutate.sources(["demo"])], ["demo/small.cc"])

    def test_says_what_each_change_came_to(self):
        status, output = self.run_main("--limit=1", "--seed=1", "--record",
                                       str(self.tree / "record.csv"), "demo")
        self.assertEqual(status, 0)
        self.assertIn("killed   demo/small.cc:8: return x < kLimit && !done;  ->  "
                      "return x <= kLimit && !done;", output)
        self.assertRegex(output, r"killed +demo/small.cc:8: .* \|\| !done;")
        self.assertRegex(output, r"no_build +demo/small.cc:8: .* -> .*&& done;")
        with open(self.tree / "record.csv", newline="", encoding="utf-8") as file:
            [row] = csv.DictReader(file)
        self.assertEqual([row[name] for name in ["seed", "killed", "survived", "no_build"]],
                         ["1", "2", "0", "1"])

    def test_what_survives_fails_unless_it_is_listed(self):
        write_program(self.tree / "bazelw", BAZELW.replace('[[ $source != *"<="', "exit\n["))
        arguments = ["--limit=1", "--count=2", "demo"]
        status, output = self.run_main(*arguments)
        self.assertEqual(status, 1)
        self.assertRegex(output, r"survived +demo/small.cc:8: .*<= kLimit")
        with open(self.tree / "tools/mutate.csv", "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(["file", "line", "change", "reason"])
            writer.writerow(["demo/small.cc", "return x < kLimit && !done;",
                             "return x[<]->[<=]", "x is never the limit"])
        status, output = self.run_main(*arguments)
        self.assertEqual(status, 0)
        self.assertRegex(output, r"listed +demo/small.cc:8: .*<= kLimit")

    def test_an_error_puts_the_source_back(self):
        with self.assertRaises(KeyboardInterrupt):
            with mutate.applied(self.changes()["return x[<]->[<=]"]):
                self.assertIn("x <= kLimit", self.source.read_text())
                raise KeyboardInterrupt
        self.assertEqual(self.source.read_text(), SOURCE)


if __name__ == "__main__":
    unittest.main()
