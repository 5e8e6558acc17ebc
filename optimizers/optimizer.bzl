"""Optimizers."""

load("//:build_defs.bzl", "public_library")

def optimizers(names):
    """Optimizers, <name>.h and <name>.cc, whose functors update_kernels compiles."""
    for name in names:
        public_library(
            name = name,
            deps = [":optimizer", ":update_kernels"],
        )
