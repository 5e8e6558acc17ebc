#!/usr/bin/env python3
"""Checks that what the README tells other projects to write is what tests/consumer has."""

import pathlib
import re
import unittest

README = pathlib.Path("README.md").read_text()
CONSUMER = pathlib.Path("tests/consumer")


def block_after(text):
    """The first block of code that follows a text in the README."""
    return re.search(r"```\w*\n(.*?)```", README.split(text, 1)[1], re.DOTALL).group(1)


class OutsideProjectTest(unittest.TestCase):

    def test_bazelrc(self):
        # What follows the empty line there is for Bazel 7 without a network.
        ours = (CONSUMER / ".bazelrc").read_text().split("\n\n")[0] + "\n"
        self.assertEqual(block_after("\nIn `.bazelrc`:\n"), ours)

    def test_module(self):
        ours = (CONSUMER / "MODULE.bazel").read_text()
        version = re.search(r'name = "catena", version = "(.*?)"', ours).group(1)
        self.assertIn(f'name = "catena", version = "{version}"',
                      block_after("\nin `MODULE.bazel`:\n"))
        self.assertRegex(pathlib.Path("MODULE.bazel").read_text(),
                         rf'(?m)^\s*version = "{re.escape(version)}"')

    def test_workspace(self):
        def without_layout(text):
            return re.sub(r"\s|,(?=\s*\))", "", text)
        theirs = block_after("\nWith older versions, in `WORKSPACE`:\n")
        ours = (CONSUMER / "WORKSPACE").read_text().replace("../..", "/path/to/catena")
        self.assertIn(without_layout(theirs), without_layout(ours))


if __name__ == "__main__":
    unittest.main()
