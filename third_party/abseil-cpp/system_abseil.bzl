"""Targets over the installed Abseil, with the labels of the real project."""

load("@rules_cc//cc:defs.bzl", "cc_library")

def abseil_targets(names):
    """Declares one public target per name in this package."""
    for name in names:
        cc_library(
            name = name,
            deps = ["//:system"],
            visibility = ["//visibility:public"],
        )
