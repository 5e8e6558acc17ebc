#!/usr/bin/env python3
"""Tests of pages that walk through example programs.

Such a page links to the sources of its programs. Each block of C++ code on it must be in
one of them, word for word except for whitespace; each program that it runs and each
picture that it shows must exist.
"""

import pathlib
import re
import unittest

GUIDE = pathlib.Path("docs/guide")
PAGES = [
    "at_a_glance.md",
    "dcgan.md",
    "language_model.md",
    "mnist_by_hand.md",
    "mnist_trainer.md",
    "seq2seq.md",
    "vae.md",
    "word2vec.md",
]


def squeezed(text):
    return re.sub(r"\s", "", text)


def blocks_of(page):
    return re.findall(r"```cpp\n(.*?)```", page, re.S)


def linked_sources(page):
    return sorted(set(re.findall(r"\(\.\./\.\./(examples/[\w/]+\.(?:cc|h))\)", page)))


def not_in_sources(page, sources):
    """The blocks of code that none of the sources has."""
    known = [squeezed(source) for source in sources]
    return [
        block
        for block in blocks_of(page)
        if not any(squeezed(block) in source for source in known)
    ]


class Walks(unittest.TestCase):
    def test_code_is_that_of_the_programs(self):
        for name in PAGES:
            with self.subTest(name):
                page = (GUIDE / name).read_text()
                sources = [pathlib.Path(path).read_text() for path in linked_sources(page)]
                self.assertGreater(len(blocks_of(page)), 3)
                self.assertEqual(not_in_sources(page, sources), [])

    def test_programs_exist(self):
        for name in PAGES:
            page = (GUIDE / name).read_text()
            labels = re.findall(r"\./bazelw run .*?//(examples/[\w:/]+)", page)
            self.assertTrue(labels, name)
            for label in labels:
                folder, _, target = label.partition(":")
                target = target or folder.rsplit("/", 1)[-1]
                build = pathlib.Path(folder, "BUILD").read_text()
                self.assertIn(f'name = "{target}"', build, f"{name}: //{label}")

    def test_pictures_exist(self):
        for name in PAGES:
            page = (GUIDE / name).read_text()
            for picture in re.findall(r"\]\((\.\./images/[^)]+)\)", page):
                self.assertTrue((GUIDE / picture).exists(), f"{name}: {picture}")

    def test_code_of_nobody_is_found(self):
        page = "```cpp\nint  x = 1;\n```\n```cpp\nint y;\n```\n"
        self.assertEqual(not_in_sources(page, ["int x\n= 1;"]), ["int y;\n"])


if __name__ == "__main__":
    unittest.main()
