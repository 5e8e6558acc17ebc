"""Optimizers."""

load("//:build_defs.bzl", "library")

def optimizers(names):
    """Optimizers, <name>.h and <name>.cc, whose functors update_kernels compiles."""
    for name in names:
        library(
            name = name,
            deps = [":optimizer", ":update_kernels"],
        )
