"""Packs of made-up programs, for tests of pack_tests, run_packed and gpu_check."""

import importlib.machinery
import importlib.util
import json
import os
import pathlib
import shutil
import subprocess
import tempfile

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
import fnmatch, os, signal, sys, time
CASES = {cases!r}
options = dict(a.lstrip("-").partition("=")[::2] for a in sys.argv[1:])
def matches(name, patterns):
    return any(fnmatch.fnmatchcase(name, p) for p in patterns.split(":"))
if "gtest_list_tests" in options:
    suites = []
    wanted, _, unwanted = options["gtest_filter"].partition("-")
    for name in CASES:
        if not matches(name, wanted or "*") or matches(name, unwanted): continue
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
        self.about = {}

    def add(self, name, cases, gpu=False, gpu_only=False, timeout=60, status=0,
            text=None, is_test=True, env=None):
        write_program(self.stage / "runfiles/catena" / name,
                      text or FAKE_TEST.format(cases=cases, status=status))
        self.programs.append({"name": name, "is_test": is_test, "gpu": gpu or gpu_only,
                              "gpu_only": gpu_only, "timeout": timeout,
                              "env": env or {}})

    def write(self, limit=1 << 20):
        self.stage.mkdir(parents=True, exist_ok=True)
        (self.stage / "programs.json").write_text(json.dumps(
            {"workspace": "catena", "solib": "_solib_k8", "programs": self.programs,
             **self.about}))
        parts = list(pack_tests.write_archive(self.stage, self.output, limit))
        shutil.copy(TOOLS / "run_packed", self.output / "run_all")
        return parts

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
