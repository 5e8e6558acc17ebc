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


def measured(program, case, rate, variant="", unit="images/s"):
    return {"program": program, "case": case, "dtype": "float32", "variant": variant,
            "seconds": 1 / rate, "spread": 0, "rate": rate, "unit": unit}


def compare(*files):
    result = subprocess.run(["tests/benchmarks/compare_benchmarks", *files], text=True,
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
            "| 1.50 | 0.50 |",
            "| copy | float32 | 2.5 TB/s |  | 2 TB/s |  | 1.25 | 1.25 |"])

    def test_what_failed_or_is_missing_has_no_ratio(self):
        catena = write("catena", {"program": "catena", "case": "mlp", "dtype": "float32",
                                  "variant": "", "error": "out of memory"},
                       measured("catena", "lstm", 5.25))
        status, lines, _ = compare(catena)
        self.assertEqual(status, 0)
        self.assertIn("| mlp | float32 | - |  | - |  |  |  |", lines)
        self.assertIn("| lstm | float32 | 5.25 images/s |  | - |  |  |  |", lines)
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
