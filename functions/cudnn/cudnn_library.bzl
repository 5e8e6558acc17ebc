"""The parts of functions that cuDNN can compute."""

load("//:build_defs.bzl", "kernel_library")

def cudnn_library(name, deps = [], cuda_deps = []):
    """The kernel slot in <function>_cudnn.h, filled by <function>_cuda.cc on CUDA.

    On emulated GPUs it stays empty, so that catena's own kernels run.

    Args:
      name: <function>_cudnn.
      deps: dependencies of both.
      cuda_deps: dependencies of only <function>_cuda.cc.
    """
    kernel_library(
        name = name,
        hdrs = [name + ".h"],
        cuda_deps = cuda_deps + [
            "//cuda:cudnn_handle",
            "//cuda:cudnn_library",
            "//cuda:device",
            "//functions/cudnn:cuda_descriptors",
            "@cuda//:cudnn",
        ],
        cudnn = True,
        cuda_srcs = [name.replace("_cudnn", "_cuda.cc")],
        deps = deps + ["//functions/cudnn:cudnn_slot"],
    )
