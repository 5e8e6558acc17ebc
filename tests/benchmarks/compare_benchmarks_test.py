#!/usr/bin/env python3
"""Tests compare_benchmarks on files like those of both programs."""

import json
import os
import pathlib
import subprocess
import unittest

FOLDER = pathlib.Path(os.environ["TEST_TMPDIR"])


def write(name, *records):
    path = FOLDER / name
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return str(path)


def measured(program, case, rate, variant="", unit="images/s", **more):
    return {"program": program, "case": case, "dtype": "float32", "variant": variant,
            "seconds": 1 / rate, "spread": 0, "rate": rate, "unit": unit, **more}


def compare(*arguments):
    result = subprocess.run(["tests/benchmarks/compare_benchmarks", *arguments], text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return result.returncode, result.stdout.splitlines(), result.stderr


class CompareTest(unittest.TestCase):

    def test_divides_like_by_like(self):
        catena = write("catena",
                       {"program": "catena", "device": "cuda:0", "name": "a GPU"},
                       measured("catena", "mlp", 300),
                       measured("catena", "copy", 2.5e12, unit="B/s"))
        torch = write("torch",
                      {"program": "PyTorch", "device": "cuda:0", "name": "a GPU",
                       "version": "2.11"},
                      measured("PyTorch", "mlp", 200),
                      measured("PyTorch", "mlp", 600, "captured"),
                      measured("PyTorch", "copy", 2e12, unit="B/s"))
        status, lines, _ = compare(catena, torch)
        self.assertEqual(status, 0)
        self.assertEqual(lines[:2], ["catena: a GPU, cuda:0",
                                     "PyTorch 2.11: a GPU, cuda:0"])
        self.assertEqual(lines[-2:], [
            "| mlp | float32 | 300 images/s |  | 200 images/s | 600 images/s (captured) "
            "| 1.50 | 0.50 |  |",
            "| copy | float32 | 2.5 TB/s |  | 2 TB/s |  | 1.25 | 1.25 |  |"])

    def test_says_card_versions_and_clocks(self):
        gpu = {"program": "GPU", "name": "a GPU", "driver": "580.1", "sm_mhz": 1755.0,
               "max_sm_mhz": 1980.0, "memory_mhz": 2619.0, "watts": None,
               "max_watts": 700.0}
        lines = compare(write("gpu", gpu, gpu))[1]
        self.assertEqual(lines[:2], [
            "GPU: a GPU, driver 580.1, SM at 1755 of 1980 MHz, memory at 2619 MHz, "
            "nan of 700 W", ""])

    def test_memory_is_that_of_the_best(self):
        file = write("memory", measured("catena", "mlp", 1, memory=9 << 20),
                     measured("catena", "mlp", 2, "captured", memory=5 << 20),
                     measured("PyTorch", "mlp", 1, memory=7 << 20))
        self.assertEqual(compare(file)[1][-1],
                         "| mlp | float32 | 1 images/s | 2 images/s (captured) "
                         "| 1 images/s |  | 1.00 | 2.00 | 5 / 7 |")

    def test_what_is_compiled_is_compared_with_plans(self):
        file = write("sets", measured("catena", "resnet", 10),
                     measured("catena", "resnet", 30, "plan"),
                     measured("PyTorch", "resnet", 20, "channels_last captured"),
                     measured("PyTorch", "resnet", 25, "channels_last compile"),
                     measured("CuPy", "resnet", 60))
        lines = compare(file)[1]
        self.assertIn("| resnet | float32 | 10 images/s |  | - | 20 images/s "
                      "(channels_last captured) |  | 0.50 |  |", lines)
        at = lines.index("Plans beside torch.compile and autocast:")
        self.assertEqual(lines[at + 4], "| resnet | float32 | 30 images/s (plan) "
                         "| 25 images/s (channels_last compile) | 1.20 |  |")
        at = lines.index("Beside CuPy:")
        self.assertEqual(lines[at + 4],
                         "| resnet | float32 | 30 images/s (plan) | 60 images/s | 0.50 |  |")

    def test_behind(self):
        file = write("behind", measured("catena", "resnet", 30, "plan"),
                     measured("catena", "resnet", 10),
                     measured("PyTorch", "resnet", 20, "captured"),
                     measured("PyTorch", "resnet", 25, "compile"),
                     measured("catena", "mlp", 2), measured("PyTorch", "mlp", 1),
                     {"program": "catena", "case": "sum", "dtype": "float32",
                      "variant": "", "error": "out of memory"},
                     measured("PyTorch", "sum", 3e12, unit="B/s"))
        self.assertEqual(compare("--behind", file)[:2], (1, [
            "resnet, float32: catena 10 images/s, PyTorch 20 images/s (captured): 0.50",
            "sum, float32: catena -, PyTorch 3 TB/s"]))
        file = write("ahead", measured("catena", "mlp", 2), measured("PyTorch", "mlp", 2))
        self.assertEqual(compare("--behind", file)[:2], (0, ["no row is behind"]))

    def test_what_failed_or_is_missing_has_no_ratio(self):
        catena = write("catena", {"program": "catena", "case": "mlp", "dtype": "float32",
                                  "variant": "", "error": "out of memory"},
                       measured("catena", "lstm", 5.25))
        status, lines, _ = compare(catena)
        self.assertEqual(status, 0)
        self.assertIn("| mlp | float32 | - |  | - |  |  |  |  |", lines)
        self.assertIn("| lstm | float32 | 5.25 images/s |  | - |  |  |  |  |", lines)
        self.assertEqual(lines[-1], "- catena, mlp, float32: out of memory")

    def test_the_last_measurement_counts(self):
        file = write("catena", measured("catena", "mlp", 300),
                     measured("catena", "mlp", 310))
        self.assertIn("310 images/s", compare(file)[1][-1])

    def test_names_a_bad_line(self):
        status, _, errors = compare(write("bad", {"case": "x"}))
        self.assertEqual(status, 1)
        self.assertIn("bad:1: expected a line that device_benchmark", errors)


if __name__ == "__main__":
    unittest.main()
