#!/usr/bin/env python3
"""Tests gpu_check on packs of made-up programs."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
import unittest

sys.path.insert(0, "tools")
from fake_pack import TOOLS, Pack, load_script, write_program

BENCHMARKS = TOOLS.parent / "tests/benchmarks"
gpu_check = load_script("gpu_check")

# Stand for device_benchmark and torch_benchmark.py: they append a record for each case,
# and to "calls" the cases; {wait} names one that never ends.
FAKE_BENCHMARK = """#!{python}
import json, os, sys, time
flags = dict(a.lstrip("-").partition("=")[::2] for a in sys.argv[1:])
if "list" in flags:
    print("copy\\nsum\\nexp")
    sys.exit()
open(os.environ["CALLS"], "a").write("{program} " + flags["cases"] + "\\n")
for case in flags["cases"].split(","):
    if case == {wait!r} and "WAIT" in os.environ: time.sleep(1000)
    with open(flags["out"], "a") as out:
        print(json.dumps({{"program": "{program}", "case": case, "dtype": "float32",
                          "variant": "", "rate": {rate}, "unit": "images/s"}}), file=out)
print("measured " + flags["cases"])
"""


class GpuCheckTest(unittest.TestCase):

    def setUp(self):
        self.pack = Pack()
        self.pack.about = {"commit": "1234abcd", "behind": ["sum", "gone"],
                           "measured": ["gone", "sum", "exp", "copy"],
                           "changed_kernels": ["array/cuda", "functions/activation",
                                               "functions/engines/rows"]}
        self.calls = self.pack.folder / "calls"
        self.python = self.pack.folder / "python"
        self.python.mkdir()

    def add_functions(self, folder, *tests):
        """The folder's programs; each test is a suite."""
        self.pack.add(f"functions/{folder}/device_tests", {
            f"Devices/{test}.Agrees/{device}": "pass" for test in tests
            for device in ("native", "cuda0")}, gpu=True)
        self.pack.add(f"functions/{folder}/tests", {"RuleTest.x": "pass"})

    def add_sanitizer(self, status=""):
        """Returns what CUDA_PATH is then."""
        tools = self.pack.folder / "cuda/bin"
        write_program(tools / "compute-sanitizer", "#!/bin/sh\necho $2 >> $CALLS\n"
                      f"shift 4\n\"$@\"{status}\n")
        return str(tools.parent)

    def add_programs(self, smoke="pass"):
        self.pack.add("cuda/device_test", {"D.x": smoke}, gpu_only=True)
        self.pack.add("array/cuda/kernels_test", {"KernelsTest.x": "pass"}, gpu_only=True)
        self.pack.add("examples/mnist/train_test", {"T.x/cuda0": "fail"}, gpu=True)
        self.pack.add("functions/cudnn_and_own_test", {"C.x": "pass"}, gpu_only=True)
        self.pack.add("examples/mnist/train_mnist", {}, is_test=False,
                      text="#!/bin/sh\necho trained\n")
        self.add_benchmark()

    def add_benchmark(self, wait=""):
        self.pack.add(gpu_check.BENCHMARK, {}, is_test=False, text=FAKE_BENCHMARK.format(
            python=sys.executable, program="catena", rate=2, wait=wait))

    def write(self, torch=True):
        self.pack.write()
        for path in (TOOLS / "gpu_check", BENCHMARKS / "describe_gpu",
                     BENCHMARKS / "compare_benchmarks"):
            shutil.copy(path, self.pack.output)
        if torch:
            (self.python / "torch.py").touch()
            write_program(self.pack.output / "torch_benchmark.py", FAKE_BENCHMARK.format(
                python=sys.executable, program="PyTorch", rate=4, wait=""))

    def start(self, *arguments, **environment):
        # -S hides what is installed, such as PyTorch.
        return subprocess.Popen(
            [sys.executable, "-S", str(self.pack.output / "gpu_check"), *arguments], text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            env={**os.environ, "PYTHONPATH": str(self.python), "CALLS": str(self.calls),
                 **environment})

    def run_it(self, *arguments, **environment):
        """Returns the exit code and the output."""
        process = self.start(*arguments, **environment)
        output, _ = process.communicate(timeout=250)
        return process.returncode, output

    def statuses(self):
        results = json.loads((self.pack.output / "check/results.json").read_text())
        return {name: step["status"] for name, step in results["steps"].items()}

    def cases_run(self, step):
        """{program: its cases} of a step of run_all."""
        records = json.loads((self.pack.output / f"check/{step}/results.json").read_text())
        return {record["program"]: list(record["cases"]) for record in records}

    def called(self):
        return self.calls.read_text().splitlines() if self.calls.exists() else []

    def test_all_steps_in_order_of_value(self):
        self.add_programs()
        self.write()
        status, output = self.run_it()
        self.assertEqual(status, 1, output)
        self.assertEqual(list(self.statuses().items()), [
            ("smoke", "passed"), ("main_job", "passed"), ("tests", "passed"),
            ("examples", "failed"), ("cudnn_and_own", "passed"),
            ("benchmarks_behind_1of1", "passed"), ("memcheck", "skipped"),
            ("racecheck", "skipped"), ("benchmarks_others_1of1", "passed"),
            ("torch_compile_1of1", "passed"), ("all_tests", "failed")])
        self.assertEqual(self.called(), ["catena sum", "PyTorch sum", "catena copy,exp",
                                         "PyTorch copy,exp", "PyTorch sum,copy,exp"])
        report = subprocess.run(
            [str(TOOLS / "gpu_check"), f"--report={self.pack.output / 'check'}"],
            check=True, text=True, stdout=subprocess.PIPE).stdout
        self.assertEqual(report, (self.pack.output / "check/summary.md").read_text())
        lines = report.splitlines()
        self.assertTrue(lines[0].startswith("## 1234abcd on "), lines[0])
        card = lines[0].partition(" on ")[2]
        row = next(line for line in lines if "| main_job |" in line)
        self.assertTrue(row.startswith(f"| 1234abcd | {card} | main_job | passed |"), row)
        self.assertTrue(row.endswith("| trained |"), row)
        self.assertIn(f"| 1234abcd | {card} | sum | float32 | 2 images/s |  | 4 images/s | "
                      " | 0.50 | 0.50 |  |", lines)

    def test_goes_on_where_it_was_cut(self):
        self.pack.add("cuda/device_test", {"D.x": "pass"}, gpu_only=True)
        self.add_benchmark(wait="sum")
        self.write(torch=False)
        status, output = self.run_it("--seconds=20", WAIT="1")
        self.assertEqual(status, 2, output)
        self.assertEqual(self.statuses()["benchmarks_behind_1of1"], "cut")
        self.assertEqual(self.statuses()["benchmarks_others_1of1"], "no time")
        status, output = self.run_it("--cases=s*,copy")
        self.assertEqual(status, 0, output)
        self.assertNotIn("smoke:", output)
        self.assertEqual(self.called(), ["catena sum"] * 2 + ["catena copy"])
        self.assertEqual(self.statuses()["torch_compile"], "skipped")

    def test_notes_that_it_was_ended(self):
        self.pack.add("cuda/device_test", {"D.x": "pass"}, gpu_only=True)
        self.add_benchmark(wait="sum")
        self.write(torch=False)
        process = self.start(WAIT="1")
        while not self.called():
            time.sleep(0.1)
        process.send_signal(signal.SIGTERM)
        output, _ = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 2)
        self.assertIn("the same command goes on", output)
        self.assertEqual(self.statuses()["benchmarks_behind_1of1"], "cut")

    def test_nothing_follows_a_failed_smoke_test(self):
        self.add_programs(smoke="fail")
        self.write()
        status, output = self.run_it()
        self.assertEqual(status, 1, output)
        self.assertEqual(self.statuses(), {"smoke": "failed"})

    def test_results_of_another_commit_are_not_mixed_in(self):
        self.pack.add("cuda/device_test", {"D.x": "pass"}, gpu_only=True)
        self.write()
        self.assertEqual(self.run_it()[0], 0)
        self.pack.about["commit"] = "5678cdef"
        self.pack.write()
        status, output = self.run_it()
        self.assertEqual(status, 1)
        self.assertIn("has results of commit 1234abcd, the pack is of 5678cdef", output)
        self.assertEqual(self.run_it("--fresh")[0], 0)

    def test_sanitizers_take_the_most_valuable_of_what_has_changed_first(self):
        self.pack.add("cuda/device_test", {"D.x": "pass"}, gpu_only=True)
        self.add_functions("activation", "LstmTest", "ReluTest", "SoftmaxTest")
        self.add_functions("loss", "SoftmaxCrossEntropyTest")
        cuda = self.add_sanitizer()
        self.write(torch=False)
        self.run_it(CUDA_PATH=cuda)
        self.assertEqual(
            [step for step in self.statuses().items() if "check" in step[0]],
            [(f"{tool}_{kernels}", "passed") for kernels in ("rows", "cells", "others")
             for tool in ("memcheck", "racecheck")])
        self.assertEqual(self.called(), ["memcheck", "racecheck"] * 3)
        for step, test in [("memcheck_rows", "SoftmaxTest"), ("racecheck_cells", "LstmTest"),
                           ("memcheck_others", "ReluTest")]:
            self.assertEqual(self.cases_run(step), {
                "functions/activation/device_tests": [f"Devices/{test}.Agrees/cuda0"]})

    def test_what_a_sanitizer_finds_is_a_failure(self):
        self.pack.add("cuda/device_test", {"D.x": "pass"}, gpu_only=True)
        self.add_functions("activation", "SoftmaxTest")
        cuda = self.add_sanitizer(status="; exit 86")
        self.write(torch=False)
        self.run_it(CUDA_PATH=cuda)
        self.assertEqual(self.statuses()["racecheck_rows"], "failed")

    def test_what_was_never_measured_comes_after_what_was_behind(self):
        self.pack.about["measured"] = ["gone", "sum", "copy"]
        self.pack.add("cuda/device_test", {"D.x": "pass"}, gpu_only=True)
        self.add_benchmark()
        cuda = self.add_sanitizer()
        self.write(torch=False)
        self.run_it(CUDA_PATH=cuda)
        self.assertEqual(self.called(), ["catena sum", "catena exp", "catena copy"])
        steps = self.statuses()
        self.assertLess(list(steps).index("benchmarks_new_1of1"),
                        list(steps).index("memcheck"))
        self.assertEqual(steps["memcheck"], "skipped")

    def test_valuable_cases_come_first(self):
        cases = ["sort", "matmul", "nstep_gru_train", "max_pooling", "exp", "max_rows",
                 "batch_normalization_both_ways", "softmax_32000"]
        self.assertEqual(sorted(cases, key=gpu_check.value_of_case),
                         [*reversed(cases[1:]), "sort"])

    def test_wrong_options(self):
        self.pack.add("cuda/device_test", {"D.x": "pass"}, gpu_only=True)
        self.write()
        status, output = self.run_it("--seconds=0")
        self.assertEqual(status, 2)
        self.assertIn("--seconds: expected a positive number, got 0.0", output)
        status, output = self.run_it(f"--report={self.pack.folder}")
        self.assertEqual(status, 1)
        self.assertIn("found no results.json", output)


if __name__ == "__main__":
    unittest.main()
