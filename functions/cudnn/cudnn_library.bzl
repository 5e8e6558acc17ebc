"""The part of a function that cuDNN may do."""

load("//:build_defs.bzl", "cuda_library", "library")

def cudnn_library(name, deps = [], cuda_deps = []):
    """The slot in <name>.h, and <name>_cuda, which fills it by <name>.cc.

    Args:
      name: of the header and the source.
      deps: dependencies of both.
      cuda_deps: dependencies of <name>_cuda alone.
    """
    library(
        name = name,
        hdrs = [name + ".h"],
        visibility = ["//visibility:private"],
        deps = deps + ["//functions/cudnn:cudnn_slot"],
    )
    cuda_library(
        name = name + "_cuda",
        srcs = [name + ".cc"],
        # nvcc puts them around pointers to members, those in autograd/config.h.
        copts = ["-Xcompiler=-Wno-parentheses"],
        visibility = ["//functions:__pkg__"],
        deps = deps + cuda_deps + [
            ":" + name,
            "//cuda:cudnn_handle",
            "//cuda:device",
            "//functions/cudnn:cuda_descriptors",
            "@cuda//:cudnn",
        ],
    )
