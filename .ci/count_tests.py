#!/usr/bin/env python3
"""Counts the test cases of a `bazel test` from its build event file.

Prints "PASSED FAILED SKIPPED", and then a line for each case that failed. A program
that crashed before reporting its cases counts as one failure.
"""

import json
import pathlib
import sys
import urllib.parse
import xml.etree.ElementTree


def result_files(events):
    """Yields each test's label and test.xml; the last attempt of a test wins."""
    last = {}
    for line in events:
        event = json.loads(line)
        identity = event.get("id", {}).get("testResult")
        if identity is None or "testResult" not in event:
            continue
        for output in event["testResult"].get("testActionOutput", []):
            if output["name"] == "test.xml":
                key = (identity["label"], identity.get("run"), identity.get("shard"))
                path = urllib.parse.urlparse(output["uri"]).path
                last[key] = pathlib.Path(urllib.parse.unquote(path))
    for (label, _, _), path in last.items():
        yield label, path


def count(path):
    """Returns how many cases of a file passed, the failed ones, how many were skipped."""
    passed = skipped = 0
    failed = []
    for case in xml.etree.ElementTree.parse(path).iter("testcase"):
        if case.find("failure") is not None or case.find("error") is not None:
            suite = case.get("classname")
            failed.append(f"{suite}.{case.get('name')}" if suite else case.get("name"))
        elif case.find("skipped") is not None:
            skipped += 1
        elif case.get("status") != "notrun":
            passed += 1
    return passed, failed, skipped


def main():
    passed = skipped = 0
    failed = []
    with open(sys.argv[1], encoding="utf-8") as events:
        for label, path in result_files(events):
            counts = count(path)
            passed += counts[0]
            failed += [f"{label}: {case}" for case in counts[1]]
            skipped += counts[2]
    print(passed, len(failed), skipped)
    for case in failed:
        print(case)


if __name__ == "__main__":
    main()
