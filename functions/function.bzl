"""Differentiable functions and their tests."""

load("//:build_defs.bzl", "device_test", "kernel_library", "public_library")
load("//tools:given_deps.bzl", "ENGINES")

_NODE = "//functions/engines/elementwise:elementwise_node"

def function(name, kernels = None, deps = [], test_deps = [], **kwargs):
    """A public_library of <name>.h and <name>.cc, tested on every device.

    Args:
      name: the function.
      kernels: of the family that has its rules, if it has rules.
      deps: what it includes besides.
      test_deps: what the test includes besides.
      **kwargs: passed to public_library.
    """
    public_library(
        name = name,
        device_test_deps = test_deps,
        deps = deps + ([kernels, _NODE] if kernels else []),
        **kwargs
    )

def golden_test(name, deps = []):
    """What compares the functions of the folder with Chainer, on every device.

    Args:
      name: the test, of <name>.cc, a table with a row for each golden file of the
        folder.
      deps: what it includes besides the folder's functions.
    """
    folder = native.package_name()
    device_test(
        name = name,
        data = ["//tests/golden:" + folder],
        deps = deps + [
            "//" + folder,
            "//tests/numbers:function_numbers",
            "//tests/support:function_golden",
        ],
    )

def functor_kernels(name, engine = "elementwise", hdrs = None, deps = []):
    """The kernels of <name>.cc for the functors of <family>_ops.h.

    Args:
      name: <family>_kernels.
      engine: the engine that runs the functors, a key of ENGINES.
      hdrs: defaults to <family>_ops.h.
      deps: what is included besides the engine.
    """
    kernel_library(
        name = name,
        srcs = [name + ".cc"],
        hdrs = [name[:-len("_kernels")] + "_ops.h"] if hdrs == None else hdrs,
        cuda_deps = [ENGINES[engine]["launcher"]],
        deps = deps + ENGINES[engine]["deps"],
    )

def elementwise_functions(kernels, names):
    """Functions with one rule each and kernels of one family."""
    for name in names:
        function(
            name = name,
            kernels = kernels,
        )
