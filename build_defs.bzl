"""The rules that catena's BUILD files use beside cc_binary.

library           a cc_library whose headers are "catena/<folder>/<file>.h", and its test
folder            the libraries of a folder
kernel_library    kernels: sources compiled once per instruction set (for the baseline
                  alone with --define=catena_cpu=baseline), and for CUDA
cuda_library      CUDA sources, for --config=cuda
unit_test         a GoogleTest program
device_test       a GoogleTest program that also tests CUDA under --config=cuda
benchmark_binary  a Google Benchmark program
fuzz_binary       a program of Clang's libFuzzer, for --config=fuzz
"""

load("@rules_cc//cc:defs.bzl", "cc_binary", "cc_library", "cc_test")
load("//tools:given_deps.bzl", "GIVEN_TO_BENCHMARKS", "GIVEN_TO_LIBRARIES", "GIVEN_TO_TESTS", "given")
load("//tools:kernel_symbols.bzl", "kernel_symbols_test")
load("//tools/cuda:cuda_library.bzl", "cuda_objects")
load("//tools/cuda:link_only.bzl", "link_only")

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

# GCC marks inline variables as unique in a process, for programs that load one
# library twice, and every program exports the names of all of them: 200 KB in
# train_mnist.
_COPTS = _OPENMP + select({
    str(Label("//:gcc")): ["-fno-gnu-unique"],
    "//conditions:default": [],
})

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

def _with_given(table, deps):
    package = native.package_name()
    labels = given(table, package)
    if not labels:
        return deps
    named = ["//" + package + dep if dep.startswith(":") else dep for dep in deps]
    return deps + [
        label
        for label in labels
        if label not in named
    ]

def source_of(name):
    """The source that a target's name says, in a list; none without such a file."""
    return native.glob([name + ".cc"], allow_empty = True)

def _library(name, copts = [], linkopts = [], **kwargs):
    cc_library(
        name = name,
        copts = _COPTS + copts,
        include_prefix = "catena/" + native.package_name(),
        linkopts = _OPENMP + linkopts,
        linkstatic = _LINKSTATIC,
        **kwargs
    )

def library(
        name,
        srcs = None,
        hdrs = None,
        deps = [],
        copts = [],
        linkopts = [],
        golden = [],
        test_deps = None,
        device_test_deps = None,
        **kwargs):
    """A cc_library whose headers are included as "catena/<folder>/<file>.h".

    Args:
      name: the library.
      srcs: defaults to <name>.cc, where there is such a file.
      hdrs: defaults to <name>.h, likewise.
      deps: what its files include, but for what tools/given_deps.bzl gives.
      copts: flags of the compiler.
      linkopts: flags of the linker.
      golden: files under tests/golden that its test reads.
      test_deps: for <name>_test, a unit_test: what it includes besides.
      device_test_deps: the same for a device_test.
      **kwargs: passed to cc_library.
    """
    _library(
        name = name,
        srcs = source_of(name) if srcs == None else srcs,
        hdrs = native.glob([name + ".h"], allow_empty = True) if hdrs == None else hdrs,
        copts = copts,
        linkopts = linkopts,
        deps = _with_given(GIVEN_TO_LIBRARIES, deps),
        **kwargs
    )
    test = {
        "name": name + "_test",
        "data": ["//tests/golden:" + file for file in golden],
    }
    if test_deps != None:
        unit_test(deps = [":" + name] + test_deps, **test)
    if device_test_deps != None:
        device_test(deps = [":" + name] + device_test_deps, **test)

def _is_public(rule):
    """Whether a rule of a public package has no visibility of its own."""
    return all([
        label == "//visibility:public"
        for label in rule.get("visibility") or []
    ])

def folder(name = None, deps = [], testonly = False):
    """The target of a folder: all public libraries that stand before it in BUILD.

    Args:
      name: defaults to the folder's.
      deps: further targets.
      testonly: for folders of nothing else.
    """
    members = [
        ":" + rule["name"]
        for rule in native.existing_rules().values()
        if rule["kind"] == "cc_library" and rule.get("hdrs") and
           bool(rule.get("testonly")) == testonly and _is_public(rule)
    ]
    cc_library(
        name = name or native.package_name().split("/")[-1],
        testonly = testonly,
        deps = members + deps,
    )

def _headers(files):
    return [file for file in files if file.endswith(".h")]

def _without_headers(files):
    return [file for file in files if not file.endswith(".h")]

def kernel_library(
        name,
        srcs = [],
        hdrs = [],
        deps = [],
        cpu_srcs = [],
        cpu_deps = [],
        cuda = True,
        cuda_srcs = [],
        cuda_deps = [],
        copts = [],
        linkopts = [],
        cuda_copts = [],
        visibility = None):
    """Kernels for every target: see array/kernel_slot.h and kernel_definition.h.

    srcs are compiled for each instruction set of the CPU, and for CUDA; each time
    CATENA_BACKEND is another namespace (cpu_baseline, cpu_avx2, cpu_avx512, cuda),
    in which all code of the sources must lie. cpu_srcs are compiled once for the
    CPU, with CATENA_BACKEND=cpu_portable, and cuda_srcs for CUDA alone.

    Who depends on it needs nothing more: with --config=cuda it brings CUDA's
    kernels along, and nothing of them without.

    Args:
      name: the library. <name>_headers is without the kernels.
      srcs: sources that compile as C++ and, unless `cuda` is False, as CUDA.
      hdrs: headers for users of the kernels.
      deps: dependencies of all sources and headers.
      cpu_srcs: sources, and headers of theirs, for the CPU, whatever it is.
      cpu_deps: dependencies of cpu_srcs alone.
      cuda: whether srcs are compiled for CUDA.
      cuda_srcs: sources, and headers of theirs, for CUDA alone.
      cuda_deps: dependencies of what is compiled for CUDA.
      copts: flags of the CPU's compiler.
      linkopts: what cpu_srcs need of the linker.
      cuda_copts: flags of nvcc.
      visibility: of name and <name>_headers.
    """
    headers = name + "_headers"
    _library(
        name = headers,
        hdrs = hdrs,
        visibility = visibility,
        deps = deps,
    )
    cpu_libraries = []
    optional_libraries = []
    if cpu_srcs:
        _library(
            name = name + "_cpu_portable",
            srcs = _without_headers(cpu_srcs),
            hdrs = _headers(cpu_srcs),
            copts = copts,
            linkopts = linkopts,
            local_defines = ["CATENA_BACKEND=cpu_portable"],
            visibility = ["//visibility:private"],
            deps = [":" + headers] + deps + cpu_deps,
        )
        cpu_libraries.append(":%s_cpu_portable" % name)
    for backend, flags in _INSTRUCTION_SETS.items() if srcs else []:
        compiled = "%s_%s" % (name, backend)
        cc_library(
            name = compiled,
            srcs = srcs,
            copts = _COPTS + _KERNEL_COPTS + copts + select({
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
        )
        (optional_libraries if flags else cpu_libraries).append(":" + compiled)
        if flags:
            kernel_symbols_test(
                name = compiled + "_symbols_test",
                size = "small",
                instruction_set = backend,
                library = ":" + compiled,
                # Only an optimizing compiler inlines what has to be inlined.
                target_compatible_with = select({
                    _OPTIMIZED: [],
                    "//conditions:default": [_INCOMPATIBLE],
                }),
            )
    cpu_libraries = cpu_libraries + select({
        _ONLY_BASELINE: [],
        "//conditions:default": optional_libraries,
    })
    for_cuda = (srcs if cuda else []) + cuda_srcs
    if for_cuda:
        cuda_library(
            name = name + "_cuda",
            srcs = _without_headers(for_cuda),
            hdrs = _headers(for_cuda),
            copts = cuda_copts,
            local_defines = ["CATENA_BACKEND=cuda"],
            visibility = ["//visibility:private"],
            deps = [":" + headers] + deps + cuda_deps,
            # The slots that it fills name the CPU's kernels.
            link_deps = cpu_libraries,
        )
    _library(
        name = name,
        hdrs = hdrs,
        visibility = visibility,
        deps = [":" + headers] + cpu_libraries +
               (with_cuda([":%s_cuda" % name], name) if for_cuda else []),
    )

def with_cuda(deps, name):
    """What a library called `name` brings along under --config=cuda, for its deps.

    Programs link it, nothing is compiled with its headers.
    """
    link_only(
        name = name + "_with_cuda",
        deps = select({
            _WITH_CUDA: deps,
            "//conditions:default": [],
        }),
        visibility = ["//visibility:private"],
    )
    return [":%s_with_cuda" % name]

def cuda_library(
        name,
        srcs = [],
        hdrs = [],
        deps = [],
        copts = [],
        local_defines = [],
        link_deps = [],
        visibility = None):
    """A library compiled by nvcc, which a program that links it keeps whole.

    link_deps are linked behind it; it is not compiled with their headers.

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
    _library(
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
        deps = [":" + headers] + link_deps,
    )

def unit_test(
        name,
        srcs = None,
        size = "small",
        deps = [],
        copts = [],
        linkopts = [],
        **kwargs):
    """A GoogleTest program, of <name>.cc by default.

    Its sources are compiled behind //tests/support:gtest. Its deps are what they
    include, but for what tools/given_deps.bzl gives.
    """
    cc_test(
        name = name,
        size = size,
        srcs = source_of(name) if srcs == None else srcs,
        copts = _COPTS + ["-include", "catena/tests/support/gtest.h"] + copts,
        linkopts = _OPENMP + linkopts,
        deps = _with_given(GIVEN_TO_TESTS, deps) + [
            "@googletest//:gtest_main",
            Label("//tests/support:gtest"),
        ],
        **kwargs
    )

def device_test(name, tags = [], **kwargs):
    """A unit_test whose cases have the device as parameter.

    Under --config=cuda it runs the cases of cuda:0 too, which skip where there
    is no GPU.
    """
    unit_test(
        name = name,
        tags = tags + ["gpu"],
        **kwargs
    )

def benchmark_binary(name, srcs = None, deps = [], tags = [], **kwargs):
    """A Google Benchmark program: //... builds it, nothing runs it."""
    cc_binary(
        name = name,
        testonly = True,
        srcs = source_of(name) if srcs == None else srcs,
        copts = _COPTS,
        tags = tags + ["benchmark"],
        deps = _with_given(GIVEN_TO_BENCHMARKS, deps) +
               ["@google_benchmark//:benchmark_main"],
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
        copts = _COPTS,
        linkopts = ["-fsanitize=fuzzer"],
        tags = tags + [
            "fuzz",
            "manual",
        ],
        deps = deps,
        **kwargs
    )
