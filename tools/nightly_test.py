#!/usr/bin/env python3
"""Tests nightly with steps that take no time."""

import contextlib
import io
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, "tools")
from fake_pack import load_script

nightly = load_script("nightly")


class NightlyTest(unittest.TestCase):

    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.addCleanup(self.scratch.cleanup)
        self.root = pathlib.Path(self.scratch.name)
        nightly.ROOT = self.root
        nightly.commit = lambda: "1234abcd"
        nightly.STEPS = {"first": "echo one >> ran", "second": "echo two >> ran; test -e mended",
                         "third": "echo three >> ran"}

    def run_it(self, *arguments):
        """Returns the exit code and what was printed."""
        out = io.StringIO()
        sys.argv = ["nightly", *arguments]
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
            try:
                status = nightly.main()
            except SystemExit as error:
                status = error.code
        return status, out.getvalue()

    def ran(self):
        return (self.root / "ran").read_text().split()

    def test_what_has_passed_is_not_run_again(self):
        status, text = self.run_it()
        self.assertEqual(status, 1)
        self.assertIn("failed: second", text)
        self.assertEqual(self.ran(), ["one", "two", "three"])
        (self.root / "mended").touch()
        status, text = self.run_it()
        self.assertEqual(status, 0)
        self.assertIn("first: has passed", text)
        self.assertEqual(self.ran(), ["one", "two", "three", "two"])

    def test_each_commit_begins_anew(self):
        self.run_it("--only=first")
        nightly.commit = lambda: "5678abcd"
        self.run_it("--only=first")
        self.assertEqual(self.ran(), ["one", "one"])

    def test_output_is_kept(self):
        nightly.STEPS = {"loud": "echo out; echo err >&2"}
        self.run_it()
        log = self.root / ".cache/nightly/1234abcd/loud.log"
        self.assertEqual(log.read_text(), "out\nerr\n")

    def test_steps_for_which_there_is_no_time_are_named(self):
        nightly.STEPS = {"long": "sleep 0.2", "late": "echo late >> ran"}
        status, text = self.run_it("--hours=0.00001")
        self.assertEqual(status, 3)
        self.assertIn("no time for late", text)
        self.assertFalse((self.root / "ran").exists())

    def test_a_step_that_was_cut_runs_again(self):
        program = (f"import sys, pathlib\nsys.path.insert(0, 'tools')\n"
                   f"from fake_pack import load_script\nn = load_script('nightly')\n"
                   f"n.ROOT = pathlib.Path({str(self.root)!r})\nn.commit = lambda: '1234abcd'\n"
                   f"n.STEPS = {{'first': 'echo one >> ran', 'long': 'echo $$ > pid; sleep 100'}}\n"
                   f"sys.argv = ['nightly']\nsys.exit(n.main())")
        with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE,
                              text=True) as process:
            while not (self.root / "pid").exists() or not (self.root / "pid").read_text():
                time.sleep(0.01)
            process.send_signal(signal.SIGTERM)
            out, _ = process.communicate()
        self.assertEqual(process.returncode, 130, out)
        with self.assertRaises(ProcessLookupError):
            os.kill(int((self.root / "pid").read_text()), 0)
        steps = json.loads((self.root / ".cache/nightly/1234abcd/steps.json").read_text())
        self.assertEqual(steps["long"]["result"], "cut")
        nightly.STEPS = {"first": "echo one >> ran", "long": "echo two >> ran"}
        self.assertEqual(self.run_it()[0], 0)
        self.assertEqual(self.ran(), ["one", "two"])

    def test_senseless_arguments_are_refused_by_name(self):
        for arguments, message in [(["--only=fourth"], "fourth"), (["--hours=-1"], "--hours"),
                                   (["--hour=1"], "--hour"), (["now"], "now")]:
            status, text = self.run_it(*arguments)
            self.assertEqual(status, 2)
            self.assertIn(message, text)
        self.assertFalse((self.root / "ran").exists())

    def test_every_step_is_listed(self):
        self.run_it("--only=first")
        status, text = self.run_it("--list")
        self.assertEqual(status, 0)
        self.assertRegex(text, r"first +passed")
        self.assertRegex(text, r"third +not run")


if __name__ == "__main__":
    unittest.main()
