#!/usr/bin/env python3
"""Counts the test cases of a `bazel test` from its build event file.

Prints "PASSED FAILED SKIPPED". A program that crashed before reporting its cases
counts as one failure.
"""

import json
import pathlib
import sys
import urllib.parse
import xml.etree.ElementTree


def result_files(events):
    """Yields each test's test.xml; the last attempt of a test wins."""
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
    return last.values()


def count(path):
    """Returns the numbers of passed, failed and skipped cases in one file."""
    passed = failed = skipped = 0
    for case in xml.etree.ElementTree.parse(path).iter("testcase"):
        if case.find("failure") is not None or case.find("error") is not None:
            failed += 1
        elif case.find("skipped") is not None:
            skipped += 1
        elif case.get("status") != "notrun":
            passed += 1
    return passed, failed, skipped


def main():
    with open(sys.argv[1], encoding="utf-8") as events:
        counts = [count(path) for path in result_files(events)]
    print(*[sum(column) for column in zip(*counts)] or [0, 0, 0])


if __name__ == "__main__":
    main()
