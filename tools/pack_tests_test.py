#!/usr/bin/env python3
"""Tests pack_tests and run_packed on made-up programs; builds nothing."""

import importlib.machinery
import importlib.util
import json
import os
import pathlib
import random
import shutil
import subprocess
import tempfile
import time
import unittest

# The folder of all data, before a test changes it.
TOOLS = pathlib.Path("tools").resolve()


def load_script(name):
    loader = importlib.machinery.SourceFileLoader(name, str(TOOLS / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module


pack_tests = load_script("pack_tests")

# Behaves like a GoogleTest program whose cases end as CASES says: the name and one
# of pass, fail, skip, segv, hang, exit0, and sticky, after which all fail.
FAKE_TEST = r"""#!/usr/bin/env python3
import os, signal, sys, time
CASES = {cases!r}
options = dict(a.lstrip("-").partition("=")[::2] for a in sys.argv[1:])
if "gtest_list_tests" in options:
    suites = []
    for name in CASES:
        suite, case = name.split(".")
        if suite not in suites:
            suites.append(suite)
            print(suite + ".")
        print("  " + case + "  # GetParam() = x")
    sys.exit()
wanted = open(options["gtest_flagfile"]).read().strip().split("=")[1].split(":")
xml, status, sticky = [], 0, False
for name in wanted:
    print("[ RUN      ] " + name, flush=True)
    end = CASES[name]
    if end == "segv": os.kill(os.getpid(), signal.SIGSEGV)
    if end == "hang": time.sleep(1000)
    if end == "exit0": sys.exit(0)
    sticky = sticky or end == "sticky"
    if sticky: end = "fail"
    inner = {{"fail": "<failure/>", "pass": "",
             "skip": '<skipped message="a.cc:1&#x0A;no CUDA device"/>'}}[end]
    xml.append('<testcase classname="%s" name="%s" status="run">%s</testcase>'
               % (*name.split("."), inner))
    mark = {{"fail": "  FAILED  ", "pass": "       OK ", "skip": "  SKIPPED "}}[end]
    print("[" + mark + "] " + name + " (0 ms)", flush=True)
    status = status or int(end == "fail")
path = options["gtest_output"].partition(":")[2]
open(path, "w").write("<testsuites>" + "".join(xml) + "</testsuites>")
sys.exit({status} or status)
"""


def write_program(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


class Pack:
    """A folder that pack_tests could have written."""

    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(dir=os.environ["TEST_TMPDIR"]))
        self.stage = self.folder / "staged/tests"
        self.output = self.folder / "pack"
        self.output.mkdir()
        self.programs = []

    def add(self, name, cases, gpu=False, gpu_only=False, timeout=60, status=0,
            text=None, is_test=True):
        write_program(self.stage / "runfiles/catena" / name,
                      text or FAKE_TEST.format(cases=cases, status=status))
        self.programs.append({"name": name, "is_test": is_test, "gpu": gpu or gpu_only,
                              "gpu_only": gpu_only, "timeout": timeout})

    def write(self, limit=1 << 20):
        self.stage.mkdir(parents=True, exist_ok=True)
        (self.stage / "programs.json").write_text(json.dumps(
            {"workspace": "catena", "solib": "_solib_k8", "programs": self.programs}))
        archives = list(pack_tests.write_archives(self.stage, self.output, limit))
        shutil.copy(TOOLS / "run_packed", self.output / "run_all")
        return archives

    def run(self, *arguments, path=None):
        """Returns the exit status and the lines of the output."""
        if not (self.output / "run_all").exists():
            self.write()
        environment = dict(os.environ)
        if path:
            environment["PATH"] = f"{path}:{environment['PATH']}"
        result = subprocess.run([str(self.output / "run_all"), *arguments],
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                text=True, env=environment, timeout=120)
        return result.returncode, result.stdout.splitlines()


class RunTest(unittest.TestCase):

    def setUp(self):
        self.pack = Pack()

    def test_sums_up(self):
        self.pack.add("array/a_test", {"A.x": "pass", "A.y/0": "skip"})
        self.pack.add("b_test", {"B.x": "pass"})
        status, lines = self.pack.run()
        self.assertEqual(lines[-1], "2 passed, 0 failed, 1 skipped")
        self.assertEqual(status, 0)
        self.assertRegex("\n".join(lines), r"array/a_test +1 +0 +1 ")
        self.assertIn("     1  no CUDA device", lines)
        summary = (self.pack.output / "results/summary.txt").read_text()
        self.assertTrue(summary.endswith("2 passed, 0 failed, 1 skipped\n"))

    def test_names_what_failed(self):
        self.pack.add("a_test", {"A.x": "pass", "A.y": "fail"})
        status, lines = self.pack.run()
        self.assertEqual(status, 1)
        self.assertIn("  a_test: A.y", lines)
        self.assertEqual(lines[-1], "1 passed, 1 failed, 0 skipped")

    def test_goes_on_after_a_crash(self):
        self.pack.add("a_test", {"A.u": "pass", "A.v": "segv", "A.w": "pass",
                                 "A.x": "exit0", "A.y": "pass"})
        status, lines = self.pack.run()
        self.assertEqual(status, 1)
        self.assertIn("  a_test: A.v: crashed: SIGSEGV", lines)
        self.assertIn("  a_test: A.x: exit status 0", lines)
        self.assertEqual(lines[-1], "3 passed, 2 failed, 0 skipped")

    def test_ends_what_hangs(self):
        self.pack.add("a_test", {"A.x": "hang", "A.y": "pass"}, timeout=10)
        start = time.monotonic()
        status, lines = self.pack.run("--timeout=0.1")
        self.assertLess(time.monotonic() - start, 60)
        self.assertEqual(status, 1)
        self.assertIn("  a_test: A.x: timed out after 1 s", lines)
        self.assertEqual(lines[-1], "1 passed, 1 failed, 0 skipped")

    def test_gives_up_after_many_crashes(self):
        self.pack.add("a_test", {f"A.x{i}": "segv" for i in range(9)})
        _, lines = self.pack.run()
        self.assertIn("  a_test: (4 more cases): did not run after that", lines)

    def test_a_status_without_a_failed_case_is_a_failure(self):
        self.pack.add("a_test", {"A.x": "pass"}, status=3)
        status, lines = self.pack.run()
        self.assertEqual(status, 1)
        self.assertIn("  a_test: (the whole program): exit status 3", lines)

    def test_a_program_that_does_not_start_is_a_failure(self):
        self.pack.add("a_test", {}, text="#!/bin/sh\necho no libx.so >&2; exit 127\n")
        self.pack.add("b_test", {"B.x": "pass"})
        status, lines = self.pack.run()
        self.assertEqual(status, 1)
        self.assertIn("  a_test: (the list of cases): exit status 127: no libx.so",
                      lines)
        self.assertEqual(lines[-1], "1 passed, 1 failed, 0 skipped")

    def test_says_at_once_that_libraries_are_missing(self):
        self.pack.add("a_test", {}, text="#!/bin/sh\necho a_test: error while loading "
                      "shared libraries: libcudnn.so.9 >&2; exit 127\n")
        status, lines = self.pack.run()
        self.assertEqual(status, 2)
        self.assertIn("libcudnn.so.9", lines[-2])
        self.assertIn("pip install", lines[-1])

    def test_gpu_takes_cases_by_name_and_all_of_the_fixture(self):
        self.pack.add("a_test", {"A.x/native0": "fail", "A.x/cuda0_float32": "pass"},
                      gpu=True)
        self.pack.add("b_test", {"StreamTest.Waits": "pass"}, gpu_only=True)
        self.pack.add("c_test", {"C.x": "fail"})
        status, lines = self.pack.run("--gpu")
        self.assertEqual(lines[-1], "2 passed, 0 failed, 0 skipped")
        self.assertEqual(status, 0)

    def test_only_skipped_cases_are_no_success(self):
        self.pack.add("a_test", {"A.x/cuda0": "skip"}, gpu=True)
        status, lines = self.pack.run("--gpu")
        self.assertEqual(status, 1)
        self.assertIn("run_all: no case ran, 1 were skipped", lines)

    def test_alone_tells_who_suffered_from_whom(self):
        self.pack.add("a_test", {"A.x": "sticky", "A.y": "pass"})
        _, lines = self.pack.run("--alone")
        self.assertIn("  a_test: A.x: (alone, too)", lines)
        self.assertIn("  a_test: A.y: (passes alone)", lines)

    def test_patterns_choose_programs(self):
        self.pack.add("array/a_test", {"A.x": "pass"})
        self.pack.add("b_test", {"B.x": "pass"})
        self.assertEqual(self.pack.run("array/*")[1][-1], "1 passed, 0 failed, 0 skipped")
        status, lines = self.pack.run("c*")
        self.assertEqual((status, lines[-1]), (2, "run_all: no test program matches c*"))

    def test_stops_in_time_and_resumes(self):
        self.pack.add("a_test", {"A.x": "hang"}, timeout=60)
        self.pack.add("b_test", {"B.x": "pass"}, timeout=90)
        status, lines = self.pack.run("--within=0.05", "--jobs=1")
        self.assertEqual(status, 1)
        self.assertIn("Did not run:", lines)
        self.assertIn("  a_test", lines)
        self.assertEqual(lines[-1], "1 passed, 0 failed, 0 skipped")
        status, lines = self.pack.run("--resume", "--timeout=0.01")
        self.assertEqual(lines[-1], "1 passed, 1 failed, 0 skipped")

    def test_sanitizer(self):
        tools = self.pack.folder / "bin"
        write_program(tools / "compute-sanitizer", "#!/bin/sh\n"
                      "[ $2 = racecheck ] || exit 1\nshift 4\n\"$@\" || exit\n"
                      "case $1 in *b_test) exit 86; esac\n")
        self.pack.add("a_test", {"A.x": "pass"})
        self.pack.add("b_test", {"B.x": "pass"})
        status, lines = self.pack.run("--sanitizer=racecheck", path=tools)
        self.assertEqual(status, 1)
        self.assertIn("  b_test: (the whole program): racecheck found errors", lines)
        self.assertEqual(lines[-1], "2 passed, 1 failed, 0 skipped")

    def test_exec_becomes_a_program(self):
        self.pack.add("tests/benchmark", {}, is_test=False,
                      text="#!/bin/sh\necho $1 $RUNFILES_DIR; exit 7\n")
        status, lines = self.pack.run("--exec", "tests/benchmark", "--device=cuda:0")
        self.assertEqual(status, 7)
        self.assertEqual(lines[-1].split(), [
            "--device=cuda:0", str(self.pack.output.resolve() / "tests/runfiles")])
        self.assertEqual(self.pack.run("--exec", "b")[0], 2)

    def test_wrong_options(self):
        self.pack.add("a_test", {"A.x": "pass"})
        status, lines = self.pack.run("--jobs=0")
        self.assertEqual(status, 2)
        self.assertIn("--jobs: expected a positive number, got 0", lines[-1])


class PackTest(unittest.TestCase):

    def setUp(self):
        self.pack = Pack()

    def add_random_files(self, sizes):
        generator = random.Random(1)
        for i, size in enumerate(sizes):
            path = self.pack.stage / f"data/{i}"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(bytes(generator.getrandbits(8) for _ in range(size)))

    def test_archives_stay_below_the_limit_and_hold_everything(self):
        # What does not shrink; six files of 0.7 of the limit need six archives.
        self.add_random_files([70000] * 6 + [100] * 50 + [0])
        pack_tests._CHUNK = 20000
        self.pack.add("a_test", {"A.x": "pass"})
        archives = self.pack.write(limit=100000)
        self.assertEqual([path.name for path in archives],
                         [f"tests.{i}of6.tar.xz" for i in range(1, 7)])
        self.assertTrue(all(path.stat().st_size < 100000 for path in archives))
        self.assertEqual(self.pack.run()[0], 0)
        staged = self.pack.stage / "data"
        unpacked = self.pack.output / "tests/data"
        for path in staged.iterdir():
            self.assertEqual((unpacked / path.name).read_bytes(), path.read_bytes())

    def test_tar_reads_the_archives(self):
        self.add_random_files([1000, 2000])
        pack_tests._CHUNK = 500
        archive, = self.pack.write()
        target = self.pack.folder / "target"
        target.mkdir()
        if shutil.which("xz") is None:
            self.skipTest("xz is not installed")
        subprocess.run(["tar", "xJf", str(archive)], cwd=target, check=True)
        self.assertEqual(len(list((target / "tests/data").iterdir())), 2)

    def test_a_missing_archive_is_named(self):
        self.add_random_files([70000] * 3)
        pack_tests._CHUNK = 1000
        self.pack.write(limit=80000)[1].unlink()
        status, lines = self.pack.run()
        self.assertEqual((status, lines[-1]), (
            2, "run_all: these archives are missing: tests.2of3.tar.xz"))

    def test_a_new_pack_replaces_the_old_one(self):
        self.pack.add("a_test", {"A.x": "pass"})
        self.pack.run()
        self.pack.add("b_test", {"B.x": "pass"})
        self.pack.write()
        self.assertEqual(self.pack.run()[1][-1], "2 passed, 0 failed, 0 skipped")

    def test_a_file_above_the_limit_is_named(self):
        self.add_random_files([70000])
        with self.assertRaisesRegex(SystemExit, "data/0 is compressed to .* MiB"):
            self.pack.write(limit=50000)

    def test_chooses_tests_and_what_is_named(self):
        def rule(name, kind, *tags, deps=(), size="small"):
            def strings(items):
                return "".join(f'<string value="{item}"/>' for item in items)
            return (f'<rule class="{kind}" name="{name}"><string name="size" '
                    f'value="{size}"/><list name="tags">{strings(tags)}</list>'
                    f'<list name="deps">{strings(deps)}</list></rule>')
        query = "<query>" + "".join([
            rule("//b:long_test", "cc_test", "manual", size="large"),
            rule("//b:b_test", "cc_test", "gpu"),
            rule("//b:bench", "cc_binary", "benchmark"),
            rule("//c:c", "cc_binary"),
            rule("//:root_test", "cc_test", deps=["//cuda/testing:gpu_test"]),
        ]) + "</query>"
        def names(*arguments):
            return [rule["name"] for rule in pack_tests.choose(query, *arguments)]
        self.assertEqual(names(["//..."], False), ["b/b_test", "root_test"])
        self.assertEqual(names(["//...", "//c"], False),
                         ["b/b_test", "c/c", "root_test"])
        self.assertEqual(names(["//..."], True),
                         ["b/b_test", "b/bench", "c/c", "root_test"])
        self.assertIn("b/long_test", names(["//b:long_test"], False))
        b, root = pack_tests.choose(query, ["//..."], False)
        self.assertEqual([b["gpu"], b["gpu_only"]], [True, False])
        self.assertEqual([root["gpu"], root["gpu_only"]], [True, True])


if __name__ == "__main__":
    unittest.main()
