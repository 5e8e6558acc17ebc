#!/usr/bin/env python3
"""Tests pack_tests and run_packed on made-up programs; builds nothing."""

import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from unittest import mock

sys.path.insert(0, "tools")
from fake_pack import Pack, pack_tests, write_program


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

    def test_a_program_gets_its_variables(self):
        check = "#!/bin/sh\n[ $MODE = fast ] && exec python3 ./b_test $@\n"
        self.pack.add("a_test", {}, text=check, env={"MODE": "fast"})
        self.pack.add("b_test", {"B.x": "pass"})
        self.assertEqual(self.pack.run()[1][-1], "2 passed, 0 failed, 0 skipped")

    def test_patterns_choose_programs(self):
        self.pack.add("array/a_test", {"A.x": "pass"})
        self.pack.add("b_test", {"B.x": "pass"})
        self.assertEqual(self.pack.run("array/*")[1][-1], "1 passed, 0 failed, 0 skipped")
        self.assertEqual(self.pack.run("--exclude=b*")[1][-1],
                         "1 passed, 0 failed, 0 skipped")
        status, lines = self.pack.run("c*")
        self.assertEqual((status, lines[-1]), (2, "run_all: no test program matches c*"))

    def test_stops_in_time_and_resumes(self):
        self.pack.add("a_test", {"A.x": "hang"}, timeout=60)
        self.pack.add("b_test", {"B.x": "pass"}, timeout=90)
        status, lines = self.pack.run("--within=0.05", "--jobs=1")
        self.assertEqual(status, 3)
        self.assertIn("Did not run:", lines)
        self.assertIn("  a_test", lines)
        self.assertEqual(lines[-1], "1 passed, 0 failed, 0 skipped")
        status, lines = self.pack.run("--resume", "--timeout=0.01")
        self.assertEqual(lines[-1], "1 passed, 1 failed, 0 skipped")

    def test_a_cut_sanitizer_keeps_the_cases_before_it(self):
        tools = self.pack.folder / "bin"
        write_program(tools / "compute-sanitizer", "#!/bin/sh\nshift 4\nexec \"$@\"\n")
        cases = {f"A.x{i}": "pass" for i in range(25)}
        self.pack.add("a_test", {**cases, "A.y": "hang"})
        status, lines = self.pack.run("--sanitizer=memcheck", "--within=0.1", path=tools)
        self.assertEqual(status, 3)
        self.assertIn("  a_test (the rest)", lines)
        self.assertEqual(lines[-1], "20 passed, 0 failed, 0 skipped")
        program = self.pack.output / "tests/runfiles/catena/a_test"
        program.write_text(program.read_text().replace("'hang'", "'pass'"))
        status, lines = self.pack.run("--sanitizer=memcheck", "--resume", path=tools)
        self.assertEqual((status, lines[-1]), (0, "26 passed, 0 failed, 0 skipped"))
        log = (self.pack.output / "results/logs/a_test.log").read_text()
        self.assertEqual(log.count("OK ] A.x3 "), 1)

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

    def test_parts_stay_below_the_limit_and_hold_everything(self):
        # What does not shrink; a file may lie in two parts.
        self.add_random_files([70000] * 6 + [100] * 50 + [0])
        self.pack.add("a_test", {"A.x": "pass"})
        parts = self.pack.write(limit=100000)
        self.assertEqual([path.name for path in parts],
                         [f"tests.tar.xz.{i}of5" for i in range(1, 6)])
        self.assertTrue(all(path.stat().st_size <= 100000 for path in parts))
        self.assertEqual(self.pack.run()[0], 0)
        staged = self.pack.stage / "data"
        unpacked = self.pack.output / "tests/data"
        for path in staged.iterdir():
            self.assertEqual((unpacked / path.name).read_bytes(), path.read_bytes())

    def test_what_files_share_is_stored_once(self):
        self.add_random_files([3 << 20])
        shutil.copy(self.pack.stage / "data/0", self.pack.stage / "data/1")
        part, = self.pack.write(limit=100 << 20)
        self.assertLess(part.stat().st_size, 3.1 * 2**20)

    def test_libraries_come_first_and_data_last(self):
        for name, content in [("a", b"data"), ("b", b"\x7fELF"), ("d.so", b"\x7fELF"),
                              ("c.so.1", b"\x7fELF"), ("e.so", b"text")]:
            path = self.pack.stage / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        self.assertEqual([path.name for path in pack_tests.files_in_order(self.pack.stage)],
                         ["c.so.1", "d.so", "b", "e.so", "a"])

    def test_tar_reads_the_parts_together(self):
        self.add_random_files([1000, 2000])
        parts = self.pack.write(limit=2000)
        self.assertEqual(len(parts), 2)
        target = self.pack.folder / "target"
        target.mkdir()
        if shutil.which("xz") is None:
            self.skipTest("xz is not installed")
        whole = b"".join(path.read_bytes() for path in parts)
        subprocess.run(["tar", "xJ"], cwd=target, check=True, input=whole)
        self.assertEqual(len(list((target / "tests/data").iterdir())), 2)

    def test_a_missing_part_is_named(self):
        self.add_random_files([70000] * 3)
        self.pack.write(limit=80000)[1].unlink()
        status, lines = self.pack.run()
        self.assertEqual((status, lines[-1]), (
            2, "run_all: these parts are missing: tests.tar.xz.2of3"))

    def test_all_parts_together_have_a_limit(self):
        pack_tests.check_total([28, 28, 2], 58)
        pack_tests.check_total([28, 28, 28], None)
        with self.assertRaisesRegex(SystemExit, "at most 58 MiB in all, got 58.5: .*--total"):
            pack_tests.check_total([28, 28, 2.5], 58)

    def test_a_new_pack_replaces_the_old_one(self):
        self.pack.add("a_test", {"A.x": "pass"})
        self.pack.run()
        self.pack.add("b_test", {"B.x": "pass"})
        self.pack.write()
        self.assertEqual(self.pack.run()[1][-1], "2 passed, 0 failed, 0 skipped")


def rule(name, kind, *tags, deps=(), size="small", env=""):
    """A rule as bazel query prints it."""
    def strings(items):
        return "".join(f'<string value="{item}"/>' for item in items)
    return (f'<rule class="{kind}" name="{name}"><string name="size" '
            f'value="{size}"/><list name="tags">{strings(tags)}</list>'
            f'<list name="deps">{strings(deps)}</list><dict name="env">{env}</dict></rule>')


QUERY = "<query>" + "".join([
    rule("//b:long_test", "cc_test", "manual", size="large"),
    rule("//b:b_test", "cc_test", "gpu",
         env='<pair><string value="MODE"/><string value="fast"/></pair>'),
    rule("//b:bench", "cc_binary", "benchmark"),
    rule("//c:c", "cc_binary"),
    rule("//emulated:e_test", "cc_test"),
    rule("//:root_test", "cc_test", deps=["//cuda/testing:gpu_test"]),
]) + "</query>"

# Answers queries as if //emulated could not be built.
FAKE_BAZELW = f"""#!/usr/bin/env python3
import sys
command, *arguments = sys.argv[1:]
if command == "query":
    print({QUERY!r})
elif command == "cquery":
    if "//emulated:e_test" in " ".join(arguments):
        sys.exit("Target //emulated:e_test is incompatible and cannot be built")
    print("@@//b:long_test\\n\\n//b:b_test\\n@//b:bench\\n//c:c\\n//:root_test")
else:
    sys.exit("ERROR: a bad flag")
"""


RESULTS = """# Results
## 1111aaaa on an old GPU
| commit | card | case | type | catena | best / best |
| --- | --- | --- | --- | --- | --- |
| 1111aaaa | old | copy | float32 | 1 TB/s | 0.10 |
| 1111aaaa | old | take | float32 | 1 TB/s | 0.80 |

## 2222bbbb on a GPU, driver 1
| commit | card | step | result |
| --- | --- | --- | --- |
| 2222bbbb | new | tests | passed |

| commit | card | case | type | catena | best / best | MiB |
| --- | --- | --- | --- | --- | --- | --- |
| 2222bbbb | new | exp | float32 | 1 TB/s | 0.90 | |
| 2222bbbb | new | exp | float16 | 1 TB/s | 1.10 | |
| 2222bbbb | new | sum | float32 | 1 TB/s | 1.20 | |
| 2222bbbb | new | sum | float16 | 1 TB/s | 0.30 | |
| 2222bbbb | new | copy | float32 | 1 TB/s | 1.00 | |
| 2222bbbb | new | sort | float32 | 1 TB/s | | |
| 2222bbbb | new | cumsum | float32 | - | | |
"""

# Sources of kernels, of an engine, and others.
TREE = {
    "functions/engines/rows/row_tile.cuh": "__device__ int tile();",
    "functions/engines/rows/row_kernel.h":
        '#include "catena/functions/engines/rows/row_tile.cuh"',
    "functions/activation/internal/softmax_ops.h": "CATENA_HOST_DEVICE int f();",
    "functions/activation/internal/softmax_kernels.cc":
        '#include "catena/functions/activation/internal/softmax_ops.h"\n'
        '#include "catena/functions/engines/rows/row_kernel.h"\n',
    "functions/activation/softmax.cc":
        '#include "catena/functions/engines/rows/row_kernel.h"\n',
    "functions/loss/loss_cuda.cu": "",
    "functions/engines/rules/rule_kernels.cc": "",
    "links/link.h": "class Link;",
}


class AboutTest(unittest.TestCase):

    def test_a_case_has_its_last_result(self):
        self.assertEqual(pack_tests.last_results(RESULTS), ("2222bbbb", {
            "copy": 1.0, "take": 0.8, "exp": 0.9, "sum": 0.3, "sort": None}))

    def test_what_is_behind_begins_with_the_worst(self):
        self.write_tree({"docs/gpu_results.md": RESULTS})
        about = pack_tests.about_the_commit()
        self.assertEqual(about["behind"], ["sum", "take", "exp"])
        self.assertEqual(about["measured"], ["copy", "exp", "sort", "sum", "take"])

    def write_tree(self, files):
        pack_tests.ROOT = pathlib.Path(tempfile.mkdtemp(dir=os.environ["TEST_TMPDIR"]))
        for name, text in files.items():
            path = pack_tests.ROOT / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    def changed(self, *files):
        self.write_tree(TREE)
        return pack_tests.changed_kernels(list(TREE), files)

    def test_kernels_have_changed_with_what_they_include(self):
        self.assertEqual(self.changed("functions/activation/internal/softmax_ops.h"),
                         ["functions/activation"])
        self.assertEqual(self.changed("functions/engines/rows/row_tile.cuh"),
                         ["functions/activation", "functions/engines/rows"])
        self.assertEqual(self.changed("functions/loss/loss_cuda.cu"), ["functions/loss"])
        self.assertEqual(self.changed("functions/engines/rules/rule_kernels.cc"),
                         ["functions/activation", "functions/engines/rules",
                          "functions/math"])

    def test_what_runs_on_hosts_alone_is_no_kernel(self):
        self.assertEqual(self.changed("links/link.h", "functions/activation/softmax.cc",
                                      "gone.cuh"), [])


class ChooseTest(unittest.TestCase):

    def setUp(self):
        root = pathlib.Path(tempfile.mkdtemp(dir=os.environ["TEST_TMPDIR"]))
        write_program(root / "bazelw", FAKE_BAZELW)
        pack_tests.ROOT = root

    def find(self, *targets, programs=False):
        return [rule["name"] for rule in
                pack_tests.find_rules(list(targets), programs, ["--config=cuda"])]

    def test_tests_and_what_is_named(self):
        self.assertEqual(self.find("//..."), ["b/b_test", "root_test"])
        self.assertEqual(self.find("//...", "//c"), ["b/b_test", "c/c", "root_test"])
        self.assertEqual(self.find("//...", programs=True),
                         ["b/b_test", "b/bench", "c/c", "root_test"])
        self.assertIn("b/long_test", self.find("b:long_test"))
        b, root = pack_tests.choose(QUERY, ["//..."], False)[::2]
        self.assertEqual([b["gpu"], b["gpu_only"]], [True, False])
        self.assertEqual([root["gpu"], root["gpu_only"]], [True, True])
        self.assertEqual([b["env"], root["env"]], [{"MODE": "fast"}, {}])

    def test_what_cannot_be_built_is_left_out_but_refused_by_name(self):
        self.assertNotIn("emulated/e_test", self.find("//...", "//emulated:all"))
        with self.assertRaisesRegex(
                SystemExit, r"cannot be built with --config=cuda .*: //emulated:e_test"):
            self.find("//...", "//emulated:e_test")

    def test_names_what_is_no_program(self):
        with self.assertRaisesRegex(
                SystemExit, "expected C\+\+ tests or programs, got //c:library, //d:d"):
            self.find("//c", "//c:library", "d")

    def test_a_pack_that_is_too_large_is_an_error(self):
        output = pack_tests.ROOT / "pack"
        for name in ("run_packed", "gpu_check"):
            write_program(pack_tests.ROOT / "tools" / name, "")
        for script in pack_tests._SCRIPTS:
            write_program(pack_tests.ROOT / script, "")

        def main(*arguments):
            with mock.patch.object(pack_tests, "bazel", return_value="."), \
                    mock.patch.object(pack_tests, "find_rules", return_value=[{"label": "//a:a_test"}]), \
                    mock.patch.object(pack_tests, "stage_programs"), \
                    mock.patch.object(pack_tests, "about_the_commit"), \
                    mock.patch.object(pack_tests, "write_archive", return_value=[part]), \
                    mock.patch("sys.argv", ["pack_tests", "//...", "-o", str(output),
                                            *arguments]):
                pack_tests.main()
        part = pack_tests.ROOT / "part"
        with part.open("wb") as file:
            file.truncate(60 << 20)
        with self.assertRaisesRegex(SystemExit, "at most 58 MiB in all, got 60.0"):
            main()
        main("--total=60")
        main("--config=cuda_emulated")

    def test_says_which_command_failed(self):
        with self.assertRaisesRegex(SystemExit, "bazelw build failed"):
            pack_tests.bazel("build")


if __name__ == "__main__":
    unittest.main()
