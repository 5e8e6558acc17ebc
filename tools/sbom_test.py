#!/usr/bin/env python3
"""Tests the document that tools/sbom makes of packages, and its check."""

import importlib.machinery
import importlib.util
import pathlib
import unittest

_PATH = pathlib.Path(__file__).resolve().parent / "sbom"
_LOADER = importlib.machinery.SourceFileLoader("sbom", str(_PATH))
sbom = importlib.util.module_from_spec(importlib.util.spec_from_loader("sbom", _LOADER))
_LOADER.exec_module(sbom)


def package(name, **fields):
    """A package with the fields that SPDX wants."""
    return {"name": name, "SPDXID": f"SPDXRef-{name}", "downloadLocation": "NOASSERTION",
            "filesAnalyzed": False, **fields}


def made(packages):
    """A document of //:catena."""
    return sbom.document(["//:catena"], packages, "01234567", "0.1.0",
                         "2026-01-02T03:04:05Z")


class SbomTest(unittest.TestCase):
    def test_a_document_has_what_spdx_requires(self):
        spdx = made([package("libz", checksums=[{}]), package("json")])
        self.assertEqual(sbom.faults(spdx), [])
        kinds = {relation["relatedSpdxElement"]: relation["relationshipType"]
                 for relation in spdx["relationships"]}
        self.assertEqual(kinds, {"SPDXRef-catena": "DESCRIBES", "SPDXRef-libz": "DYNAMIC_LINK",
                                 "SPDXRef-json": "STATIC_LINK"})

    def test_the_namespace_tells_documents_apart(self):
        one, other = made([package("a")]), made([package("b")])
        self.assertNotEqual(one["documentNamespace"], other["documentNamespace"])
        self.assertEqual(one["documentNamespace"], made([package("a")])["documentNamespace"])

    def test_each_missing_field_is_named(self):
        for field in ["spdxVersion", "dataLicense", "SPDXID", "name", "documentNamespace"]:
            spdx = made([package("a")])
            del spdx[field]
            self.assertEqual(len(sbom.faults(spdx)), 1, field)
            self.assertIn(field, sbom.faults(spdx)[0])
        for field in ["name", "downloadLocation", "filesAnalyzed"]:
            spdx = made([package("a")])
            del spdx["packages"][1][field]
            self.assertEqual(len(sbom.faults(spdx)), 1, field)
        for field in ["created", "creators"]:
            spdx = made([package("a")])
            del spdx["creationInfo"][field]
            self.assertEqual(len(sbom.faults(spdx)), 1, field)

    def test_a_relationship_to_nothing_is_named(self):
        spdx = made([package("a")])
        spdx["relationships"][1]["relatedSpdxElement"] = "SPDXRef-b"
        self.assertEqual(sbom.faults(spdx), ["a relationship names SPDXRef-b"])

    def test_a_package_twice_is_named(self):
        self.assertEqual(sbom.faults(made([package("a"), package("a")])),
                         ["SPDXRef-a stands there twice"])


if __name__ == "__main__":
    unittest.main()
