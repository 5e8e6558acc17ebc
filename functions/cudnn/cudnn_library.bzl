"""The part of a function that cuDNN may do."""

load("//:build_defs.bzl", "kernel_library")

def cudnn_library(name, deps = [], cuda_deps = []):
    """The slot in <function>_cudnn.h, which <function>_cuda.cu fills on CUDA.

    Args:
      name: <function>_cudnn.
      deps: dependencies of both.
      cuda_deps: dependencies of <function>_cuda.cu alone.
    """
    kernel_library(
        name = name,
        hdrs = [name + ".h"],
        # nvcc puts them around pointers to members, those in autograd/config.h.
        cuda_copts = ["-Xcompiler=-Wno-parentheses"],
        cuda_deps = cuda_deps + [
            "//cuda:cudnn_handle",
            "//cuda:device",
            "//functions/cudnn:cuda_descriptors",
            "@cuda//:cudnn",
        ],
        cuda_srcs = [name.replace("_cudnn", "_cuda.cu")],
        visibility = ["//functions:__subpackages__"],
        deps = deps + ["//functions/cudnn:cudnn_slot"],
    )
