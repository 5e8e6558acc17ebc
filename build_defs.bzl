"""The rules that catena's BUILD files use beside cc_binary.

library           a cc_library whose headers are "catena/<folder>/<file>.h"
kernel_library    the same sources once per instruction set (for the baseline alone
                  with --define=catena_cpu=baseline), and once by nvcc
cuda_library      CUDA sources, for --config=cuda
unit_test         a GoogleTest program
device_test       a GoogleTest program that also tests CUDA under --config=cuda
benchmark_binary  a Google Benchmark program
fuzz_binary       a program of Clang's libFuzzer, for --config=fuzz
"""

load("@rules_cc//cc:defs.bzl", "cc_binary", "cc_library", "cc_test")
load("//tools:kernel_symbols.bzl", "kernel_symbols_test")
load("//tools/cuda:cuda_library.bzl", "cuda_objects")

# Through Label they mean catena's targets in whatever repository a macro is
# called.
_WITH_CUDA = str(Label("//:with_cuda"))
_X86_64 = str(Label("//:x86_64"))
_OPTIMIZED = str(Label("//:optimized"))
_ONLY_BASELINE = str(Label("//:only_baseline"))
_INCOMPATIBLE = str(Label("//tools/cuda:incompatible"))

# Shared libraries are for tools/pack_tests alone, and take time to link.
_LINKSTATIC = select({
    str(Label("//:shared_libraries")): False,
    "//conditions:default": True,
})

# Everything parallel runs on one OpenMP runtime: GCC's, or Clang's, which takes
# the calls that the libraries make of GCC's too.
_OPENMP = ["-fopenmp"]

# What --define=catena_cpu=baseline leaves out.
_UNLESS_ONLY_BASELINE = select({
    _ONLY_BASELINE: [_INCOMPATIBLE],
    "//conditions:default": [],
})

# Instrumented code takes minutes to optimize.
_KERNEL_COPTS = select({
    str(Label("//:sanitizer")): [],
    "//conditions:default": ["-O3"],
}) + ["-fno-math-errno", "-fno-trapping-math"]

_AVX2_COPTS = [
    "-mavx2",
    "-mfma",
    "-mf16c",
    "-mbmi",
    "-mbmi2",
    "-maes",
    "-mpclmul",
    "-mlzcnt",
    "-mpopcnt",
]

_AVX512_COPTS = _AVX2_COPTS + [
    "-mavx512f",
    "-mavx512bw",
    "-mavx512dq",
    "-mavx512vl",
    "-mavx512cd",
    "-mprefer-vector-width=512",
]

# Other processors compile every one of them as the baseline.
_INSTRUCTION_SETS = {
    "cpu_baseline": [],
    "cpu_avx2": _AVX2_COPTS,
    "cpu_avx512": _AVX512_COPTS,
}

def library(name, copts = [], linkopts = [], **kwargs):
    """A cc_library whose headers are included as "catena/<folder>/<file>.h"."""
    cc_library(
        name = name,
        copts = _OPENMP + copts,
        include_prefix = "catena/" + native.package_name(),
        linkopts = _OPENMP + linkopts,
        linkstatic = _LINKSTATIC,
        **kwargs
    )

def kernel_library(
        name,
        srcs,
        hdrs = [],
        deps = [],
        cuda = True,
        cuda_deps = [],
        copts = [],
        visibility = None,
        **kwargs):
    """Compiles srcs for each instruction set of the CPU, and for CUDA.

    Each time CATENA_BACKEND is another namespace (cpu_baseline, cpu_avx2,
    cpu_avx512, cuda), in which all code of the sources must lie.

    Args:
      name: the CPU's kernels; <name>_cuda are CUDA's, for --config=cuda.
      srcs: sources that compile as C++ and as CUDA.
      hdrs: headers for users of either target.
      deps: dependencies of both.
      cuda: whether there is a <name>_cuda.
      cuda_deps: dependencies of <name>_cuda alone.
      copts: flags of the CPU's compiler.
      visibility: of name and <name>_cuda.
      **kwargs: passed to the cc_library of each instruction set.
    """
    headers = name + "_headers"
    library(
        name = headers,
        hdrs = hdrs,
        visibility = visibility,
        deps = deps,
    )
    for backend, flags in _INSTRUCTION_SETS.items():
        cc_library(
            name = "%s_%s" % (name, backend),
            srcs = srcs,
            copts = _OPENMP + _KERNEL_COPTS + copts + select({
                _X86_64: flags,
                "//conditions:default": [],
            }),
            local_defines = [
                "CATENA_BACKEND=" + backend,
                "HWY_COMPILE_ONLY_STATIC",
            ],
            linkstatic = _LINKSTATIC,
            target_compatible_with = _UNLESS_ONLY_BASELINE if flags else [],
            visibility = ["//visibility:private"],
            deps = [":" + headers] + deps,
            **kwargs
        )
        if flags:
            kernel_symbols_test(
                name = "%s_%s_symbols_test" % (name, backend),
                size = "small",
                instruction_set = backend,
                library = ":%s_%s" % (name, backend),
                # Only an optimizing compiler inlines what has to be inlined.
                target_compatible_with = select({
                    _OPTIMIZED: [],
                    "//conditions:default": [_INCOMPATIBLE],
                }),
            )
    library(
        name = name,
        hdrs = hdrs,
        visibility = visibility,
        deps = [":" + headers] + select({
            _ONLY_BASELINE: [":%s_cpu_baseline" % name],
            "//conditions:default": [
                ":%s_%s" % (name, backend)
                for backend in _INSTRUCTION_SETS
            ],
        }),
    )
    if not cuda:
        return
    cuda_library(
        name = name + "_cuda",
        srcs = srcs,
        local_defines = ["CATENA_BACKEND=cuda"],
        visibility = visibility,
        # The slots that it fills name the CPU's kernels.
        deps = [":" + name] + deps + cuda_deps,
    )

def cuda_library(
        name,
        srcs = [],
        hdrs = [],
        deps = [],
        copts = [],
        local_defines = [],
        visibility = None):
    """A library compiled by nvcc, which a program that links it keeps whole.

    It is skipped without --config=cuda, so that deps may name @cuda//:... .
    """
    compatible = select({
        _WITH_CUDA: [],
        "//conditions:default": [_INCOMPATIBLE],
    })
    cuda_deps = select({
        _WITH_CUDA: deps + [Label("@cuda//:cudart")],
        "//conditions:default": [],
    })
    headers = name + "_interface" if srcs else name
    library(
        name = headers,
        hdrs = hdrs,
        target_compatible_with = compatible,
        visibility = ["//visibility:private"] if srcs else visibility,
        deps = cuda_deps,
    )
    if not srcs:
        return
    cuda_objects(
        name = name + "_objects",
        srcs = srcs,
        copts = copts,
        local_defines = local_defines,
        nvcc = select({
            _WITH_CUDA: Label("@cuda//:nvcc"),
            "//conditions:default": None,
        }),
        target_compatible_with = compatible,
        visibility = ["//visibility:private"],
        deps = [":" + headers],
    )
    cc_library(
        name = name,
        srcs = [":" + name + "_objects"],
        alwayslink = True,
        linkopts = _OPENMP,
        linkstatic = _LINKSTATIC,
        target_compatible_with = compatible,
        visibility = visibility,
        deps = [":" + headers],
    )

def unit_test(name, srcs, deps = [], copts = [], linkopts = [], **kwargs):
    """A GoogleTest program. Its sources are compiled behind //tests/support:gtest."""
    cc_test(
        name = name,
        srcs = srcs,
        copts = _OPENMP + ["-include", "catena/tests/support/gtest.h"] + copts,
        linkopts = _OPENMP + linkopts,
        deps = deps + [
            "@googletest//:gtest_main",
            Label("//tests/support:gtest"),
        ],
        **kwargs
    )

def device_test(name, srcs, deps = [], cuda_deps = [], tags = [], **kwargs):
    """A unit_test whose cases have the device as parameter.

    Under --config=cuda it also links cuda_deps and runs the cases of cuda:0,
    which skip where there is no GPU.
    """
    unit_test(
        name = name,
        srcs = srcs,
        tags = tags + (["gpu"] if cuda_deps else []),
        deps = deps + select({
            _WITH_CUDA: cuda_deps,
            "//conditions:default": [],
        }),
        **kwargs
    )

def benchmark_binary(name, srcs, deps = [], cuda_deps = [], tags = [], **kwargs):
    """A Google Benchmark program: //... builds it, nothing runs it."""
    cc_binary(
        name = name,
        testonly = True,
        srcs = srcs,
        copts = _OPENMP,
        tags = tags + ["benchmark"],
        deps = deps + ["@google_benchmark//:benchmark_main"] + select({
            _WITH_CUDA: cuda_deps,
            "//conditions:default": [],
        }),
        **kwargs
    )

def fuzz_binary(name, srcs, deps = [], tags = [], **kwargs):
    """A fuzz target, which nothing builds unless it is named:

    ./bazelw run --config=fuzz //array/io:npz_fuzz -- -max_total_time=60 CORPUS
    """
    cc_binary(
        name = name,
        testonly = True,
        srcs = srcs,
        copts = _OPENMP,
        linkopts = ["-fsanitize=fuzzer"],
        tags = tags + [
            "fuzz",
            "manual",
        ],
        deps = deps,
        **kwargs
    )
