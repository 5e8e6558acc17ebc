#!/usr/bin/env python3
"""Tests describe_gpu with a made-up nvidia-smi."""

import json
import os
import pathlib
import subprocess
import sys
import unittest

FOLDER = pathlib.Path(os.environ["TEST_TMPDIR"])
# Prints its next line, the last one again and again.
NVIDIA_SMI = """#!{python}
import pathlib, sys
assert "--id=1" in sys.argv
lines = pathlib.Path({lines!r})
first, *rest = lines.read_text().splitlines()
print(first)
lines.write_text("\\n".join(rest or [first]))
"""


class DescribeGpuTest(unittest.TestCase):

    def run_it(self, lines, *command):
        tools = FOLDER / self.id()
        tools.mkdir(exist_ok=True)
        if lines:
            (tools / "lines").write_text("\n".join(lines))
            (tools / "nvidia-smi").write_text(NVIDIA_SMI.format(
                python=sys.executable, lines=str(tools / "lines")))
            (tools / "nvidia-smi").chmod(0o755)
        result = subprocess.run(
            [sys.executable, "tests/benchmarks/describe_gpu", "--device=cuda:1",
             "--interval=0.01", "--", *command], text=True, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, env={**os.environ, "PATH": str(tools)})
        return result.returncode, result.stdout, result.stderr

    def test_medians_while_the_gpu_is_busy(self):
        busy = ["a GPU, 580.1, {}, 1980, 2619, [N/A], 700.00, 99".format(mhz)
                for mhz in (1000, 1800, 1900)]
        idle = "a GPU, 580.1, 345, 1980, 2619, 80.5, 700.00, 0"
        status, output, _ = self.run_it([idle, *busy, idle], sys.executable, "-c",
                                        "import time; print('works'); time.sleep(2); "
                                        "raise SystemExit(3)")
        self.assertEqual(status, 3)
        first, second = output.splitlines()
        self.assertEqual(first, "works")
        self.assertEqual(json.loads(second), {
            "program": "GPU", "name": "a GPU", "driver": "580.1", "sm_mhz": 1800,
            "max_sm_mhz": 1980, "memory_mhz": 2619, "watts": None, "max_watts": 700})

    def test_without_nvidia_smi_it_only_runs_the_command(self):
        self.assertEqual(self.run_it([], sys.executable, "-c", "print(1)"), (0, "1\n", ""))

    def test_wrong_commands(self):
        status, _, errors = self.run_it([], "/no/benchmark")
        self.assertEqual((status, errors), (
            1, "describe_gpu: cannot run /no/benchmark: No such file or directory\n"))
        self.assertIn("expected a command after --", self.run_it([])[2])


if __name__ == "__main__":
    unittest.main()
