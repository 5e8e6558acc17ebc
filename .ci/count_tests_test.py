#!/usr/bin/env python3
"""Tests count_tests.py on a build event file with results of each kind."""

import json
import os
import pathlib
import subprocess
import unittest

FOLDER = pathlib.Path(os.environ["TEST_TMPDIR"])


def write_result(name, cases):
    """Returns the build event of a test whose test.xml holds these cases."""
    xml = FOLDER / f"{name}.xml"
    xml.write_text("<testsuites><testsuite>" + "".join(cases) +
                   "</testsuite></testsuites>")
    return {"id": {"testResult": {"label": f"//{name}", "run": 1}},
            "testResult": {"testActionOutput": [
                {"name": "test.log", "uri": "file:///dev/null"},
                {"name": "test.xml", "uri": xml.as_uri()}]}}


def count(events):
    path = FOLDER / "events.json"
    path.write_text("".join(json.dumps(event) + "\n" for event in events))
    return subprocess.run([".ci/count_tests.py", str(path)], check=True, text=True,
                          stdout=subprocess.PIPE).stdout.splitlines()


class CountTests(unittest.TestCase):

    def test_adds_the_cases_of_all_programs(self):
        events = [
            {"id": {"started": {}}},
            write_result("a", ['<testcase name="x" status="run"/>',
                               '<testcase name="y" status="run"/>']),
            write_result("b", ['<testcase name="x" classname="S"><failure/></testcase>',
                               '<testcase name="y"><skipped/></testcase>',
                               '<testcase name="z" status="notrun"/>',
                               '<testcase name="w"/>']),
        ]
        self.assertEqual(count(events), ["3 1 1", "//b: S.x"])

    def test_a_program_that_died_is_one_failure(self):
        events = [write_result("a", ['<testcase name="a"><error/></testcase>'])]
        self.assertEqual(count(events), ["0 1 0", "//a: a"])

    def test_only_the_last_attempt_counts(self):
        first = write_result("a", ['<testcase name="x"><failure/></testcase>'])
        second = write_result("a", ['<testcase name="x"/>'])
        self.assertEqual(count([first, second]), ["1 0 0"])

    def test_nothing_ran(self):
        self.assertEqual(count([{"id": {"started": {}}}]), ["0 0 0"])


if __name__ == "__main__":
    unittest.main()
