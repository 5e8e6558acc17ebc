#!/usr/bin/env python3
"""Tests in_turns with programs that measure nothing."""

import json
import os
import pathlib
import subprocess
import sys
import unittest

FOLDER = pathlib.Path(os.environ["TEST_TMPDIR"])
# Prints its next record for the case that it is asked for, and notes the call.
PROGRAM = """
import json, pathlib, sys
name, calls = {name!r}, pathlib.Path({calls!r})
flags = dict(flag[2:].partition("=")[::2] for flag in sys.argv[1:])
if "list" in flags:
    print("copy\\nmlp_train\\nmlp_step")
    sys.exit()
before = calls.read_text().splitlines() if calls.exists() else []
calls.write_text("\\n".join([*before, " ".join([name, *sys.argv[1:]])]) + "\\n")
turn = sum(call.startswith(name + " ") and "cases=" + flags["cases"] in call
           for call in before)
with open(flags["out"], "a") as out:
    print(json.dumps({{"program": name, "device": flags["device"], "name": "a CPU"}}),
          file=out)
    print("for people")
    record = {{"program": name, "case": flags["cases"], "dtype": "float32", "variant": ""}}
    outcome = {outcomes!r}[turn]
    if isinstance(outcome, str):
        print(json.dumps({{**record, "error": outcome}}), file=out)
        sys.exit(1)
    print(json.dumps({{**record, "seconds": 1 / outcome, "spread": 0, "rate": outcome,
                      "unit": "images/s"}}), file=out)
"""


class InTurnsTest(unittest.TestCase):

    def setUp(self):
        self.calls = FOLDER / f"{self.id()}.calls"

    def program(self, name, outcomes):
        path = FOLDER / f"{self.id()}.{name}.py"
        path.write_text(PROGRAM.format(name=name, calls=str(self.calls),
                                       outcomes=outcomes))
        return f"{sys.executable} {path}"

    def in_turns(self, *flags, env=None):
        result = subprocess.run(["tests/benchmarks/in_turns", *flags], text=True, env=env,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        return result.returncode, result.stdout.splitlines(), result.stderr

    def test_medians_of_what_ran_in_turns(self):
        out = FOLDER / "medians"
        status, lines, _ = self.in_turns(
            "--catena=" + self.program("catena", [100, 900, 300]),
            "--torch=" + self.program("PyTorch", [200, 100, 150]),
            "--cases=mlp*", "--dtypes=float32", "--variants=compile", f"--out={out}")
        self.assertEqual(status, 0)
        self.assertIn("| mlp_train | float32 | 300 images/s |  | 150 images/s |  | 2.00 "
                      "| 2.00 |  |", lines)
        self.assertEqual([call.split()[0] for call in self.calls.read_text().splitlines()],
                         ["catena", "PyTorch"] * 6)  # 3 rounds of 2 cases
        last = self.calls.read_text().splitlines()[-2:]
        self.assertIn("--device=native", last[0])
        self.assertIn("--device=cpu", last[1])
        self.assertIn("--variants=compile", last[1])
        records = [json.loads(line) for line in out.read_text().splitlines()]
        self.assertIn({"program": "catena", "case": "mlp_step", "dtype": "float32",
                       "variant": "", "seconds": 1 / 300, "spread": 800 / 300,
                       "rate": 300, "unit": "images/s", "rounds": 3}, records)

    def test_a_build_before_a_change(self):
        status, lines, _ = self.in_turns(
            "--catena=" + self.program("catena", [100, 300, 200]),
            "--before=" + self.program("earlier", [100, 160, 900]), "--cases=copy")
        self.assertEqual(status, 0)
        self.assertEqual(lines[-1],
                         "| copy | float32 |  | 160 images/s | 200 images/s | 1.25 |")
        self.assertEqual([call.split()[0] for call in self.calls.read_text().splitlines()],
                         ["catena", "earlier"] * 3)
        self.assertIn("--device=native", self.calls.read_text().splitlines()[-1])

    def test_a_case_that_fails_leaves_the_others_alone(self):
        status, lines, _ = self.in_turns(
            "--catena=" + self.program("catena", ["out of memory"]),
            "--torch=" + self.program("PyTorch", [200]), "--rounds=1", "--cases=copy")
        self.assertEqual(status, 0)
        self.assertIn("| copy | float32 | - |  | 200 images/s |  |  |  |  |", lines)
        self.assertEqual(lines[-1], "- catena, copy, float32: out of memory")

    def test_a_gpu_is_described(self):
        tools = FOLDER / "bin"
        tools.mkdir(exist_ok=True)
        (tools / "nvidia-smi").write_text(
            "#!/bin/sh\necho a GPU, 580.1, 1755, 1980, 2619, 650.5, 700.0, 99\n")
        (tools / "nvidia-smi").chmod(0o755)
        path = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}"}
        status, lines, _ = self.in_turns(
            "--catena=" + self.program("catena", [300]),
            "--torch=" + self.program("PyTorch", [200]), "--rounds=1", "--cases=copy",
            "--device=cuda:0", env=path)
        self.assertEqual(status, 0)
        self.assertIn("GPU: a GPU, driver 580.1, SM at 1755 of 1980 MHz, memory at "
                      "2619 MHz, 650 of 700 W", lines)
        self.assertIn("| copy | float32 | 300 images/s |  | 200 images/s |  | 1.50 | 1.50 "
                      "|  |", lines)

    def test_a_program_that_cannot_run_is_named(self):
        catena = "--catena=" + self.program("catena", [1])
        status, _, errors = self.in_turns(catena, "--rounds=1",
                                          f"--torch={sys.executable} -c 'import no_torch'")
        self.assertEqual(status, 1)
        self.assertIn("-c 'import no_torch' failed: ModuleNotFoundError", errors)
        status, _, errors = self.in_turns("--catena=/no/benchmark")
        self.assertEqual(status, 1)
        self.assertEqual(errors, "in_turns: cannot run /no/benchmark: "
                                 "No such file or directory\n")

    def test_flags_are_checked(self):
        catena = "--catena=" + self.program("catena", [1])
        status, _, errors = self.in_turns(catena, "--cases=nothing")
        self.assertEqual(status, 1)
        self.assertEqual(errors, "in_turns: no case matches nothing\n")
        status, _, errors = self.in_turns(catena, "--rounds=0")
        self.assertEqual(status, 2)
        self.assertIn("--rounds: expected at least 1, got 0", errors)


if __name__ == "__main__":
    unittest.main()
