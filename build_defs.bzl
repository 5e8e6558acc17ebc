"""The rules that catena's BUILD files use besides cc_binary.

library           a cc_library whose headers are "catena/<folder>/<file>.h", and its test;
                  for catena itself
public_library    the same, for users
folder            the public libraries of a folder
kernel_library    kernels: sources compiled once per instruction set (only the baseline
                  with --define=catena_cpu=baseline), and for CUDA
cuda_library      CUDA sources, for --config=cuda
unit_test         a GoogleTest program
device_test       a GoogleTest program that also tests CUDA under --config=cuda
gpu_test          a GoogleTest program of CUDA code, for --config=cuda
program           a cc_binary whose time is spent in libraries
folder_tests      all unit_tests of a folder as one program, and all device_tests
benchmark_binary  a Google Benchmark program
fuzz_binary       a program for Clang's libFuzzer, with --config=fuzz

For any rule of a user's: CATENA_COPTS, with which catena.h takes less time.
"""

load("@rules_cc//cc:defs.bzl", "cc_binary", "cc_library", "cc_test")
load(
    "//tools:given_deps.bzl",
    "GIVEN_TO_BENCHMARKS",
    "GIVEN_TO_CUDA_LIBRARIES",
    "GIVEN_TO_CUDA_SOURCES",
    "GIVEN_TO_FUZZERS",
    "GIVEN_TO_GPU_TESTS",
    "GIVEN_TO_KERNELS",
    "GIVEN_TO_LIBRARIES",
    "GIVEN_TO_TESTS",
    "given",
)
load("//tools:kernel_symbols.bzl", "kernel_symbols_test")
load("//tools:test_sources.bzl", "included_together", "test_source")
load("//tools/cuda:cuda_library.bzl", "cuda_objects")
load("//tools/cuda:link_only.bzl", "link_only")
load("//tools/precompiled:precompiled_header.bzl", "precompiled_header")

# Label resolves to catena's targets, whatever repository calls the macro.
_REPOSITORY = "@" + Label("//:with_cuda").workspace_name
_WITH_CUDA = str(Label("//:with_cuda"))
_EMULATES_CUDA = str(Label("//:emulates_cuda"))
_X86_64 = str(Label("//:x86_64"))
_OPTIMIZED = str(Label("//:optimized"))
_ONLY_BASELINE = str(Label("//:only_baseline"))
_PRECOMPILES = str(Label("//:precompiles"))
_INCOMPATIBLE = str(Label("//tools/cuda:incompatible"))

# Shared libraries are only for tools/pack_tests, and slow to link.
_LINKSTATIC = select({
    str(Label("//:shared_libraries")): False,
    "//conditions:default": True,
})

# All parallel code uses one OpenMP runtime: GCC's, or Clang's, which also
# implements GCC's interface for the libraries.
_OPENMP = ["-fopenmp"]

# By default GCC makes inline variables unique in a process, for which every
# program exports their names: 200 KB in train_mnist.
_COPTS = _OPENMP + select({
    str(Label("//:gcc")): ["-fno-gnu-unique"],
    "//conditions:default": [],
})

# Checked string and memory functions of the C library, canaries on the stack, and
# marks for targets of indirect jumps, in users' programs, too. Sanitizers find more.
_HARDENED = select({
    str(Label("//:sanitizer")): [],
    "//conditions:default": [
        "-U_FORTIFY_SOURCE",
        "-D_FORTIFY_SOURCE=3",
        "-fstack-protector-strong",
    ],
}) + select({
    _X86_64: ["-fcf-protection=full"],
    "//conditions:default": [],
})

# Addresses of functions are looked up at the start of a program, and then read-only.
_HARDENED_LINKING = ["-Wl,-z,relro,-z,now"]

# target_compatible_with of what needs emulated GPUs: it is skipped in other
# configurations, like all that depends on it.
ONLY_EMULATED = select({
    _EMULATES_CUDA: [],
    "//conditions:default": [_INCOMPATIBLE],
})

# The same of what needs GPUs, emulated or real.
ONLY_WITH_CUDA = select({
    _WITH_CUDA: [],
    "//conditions:default": [_INCOMPATIBLE],
})

# Incompatible with --define=catena_cpu=baseline.
_UNLESS_ONLY_BASELINE = select({
    _ONLY_BASELINE: [_INCOMPATIBLE],
    "//conditions:default": [],
})

# Who may depend on a library that is not for users.
_INTERNAL = ["//:__subpackages__"]

# Not for sanitizers: instrumented code takes minutes to optimize.
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

_KERNEL_DEFINES = ["HWY_COMPILE_ONLY_STATIC"]

# On other architectures all of them are compiled without flags.
_INSTRUCTION_SETS = {
    "cpu_baseline": [],
    "cpu_avx2": _AVX2_COPTS,
    "cpu_avx512": _AVX512_COPTS,
}

def _kernel_copts(flags):
    """The flags for kernels of an instruction set, after _COPTS."""
    return _HARDENED + _KERNEL_COPTS + select({
        _X86_64: flags,
        "//conditions:default": [],
    })

def _whole(label):
    """A label with repository or package and name, for comparisons."""
    if label.startswith(":"):
        return "//" + native.package_name() + label
    if label.startswith("@") and "/" not in label:
        return label + "//:" + label[1:]
    return label if ":" in label else label + ":" + label.split("/")[-1]

def _union(deps, more):
    """Labels of two lists, without those of the second that are in the first.

    The first may contain select(), if the second is empty.
    """
    if not more:
        return deps
    there = [_whole(label) for label in deps]
    return deps + [label for label in more if _whole(label) not in there]

def _with_given(table, name, deps):
    """deps, and what a table gives to the target `name`, except for itself."""

    # A project that uses these rules may have folders of the same names.
    if native.repository_name() != _REPOSITORY:
        return deps
    return _union(deps, [
        label
        for label in given(table, native.package_name())
        if _whole(label) != _whole(":" + name)
    ])

def source_of(name):
    """[name + ".cc"], or [] if there is no such file."""
    return native.glob([name + ".cc"], allow_empty = True)

def header_of(name):
    """[name + ".h"], or [] if there is no such file."""
    return native.glob([name + ".h"], allow_empty = True)

def _is_for_programs():
    """Whether the libraries of the package are parts of programs, such as an example's model."""
    return native.package_name().startswith("examples/")

def _is_for_tests():
    """Whether the libraries of the package are test support."""
    package = native.package_name()
    return package.startswith("tests/") or package.endswith("/testing")

def _files(name, parts, ending):
    """The files <name> and <part> with an ending; each part has a header or a source."""
    return native.glob([name + ending], allow_empty = True) + [
        file
        for part in parts
        for file in native.glob([part + ".*"], allow_empty = False)
        if file.endswith(ending)
    ]

def _is_in_test(file):
    """Whether a test that BUILD has declared so far has a source."""
    return any([
        source.split(":")[-1] == file
        for rule in native.existing_rules().values()
        if rule["kind"] == "cc_test"
        for source in rule["srcs"]
    ])

def _if_precompiled(value, otherwise = []):
    return select({
        _PRECOMPILES: value,
        "//conditions:default": otherwise,
    })

def _precompiled(name, header, copts = [], visibility = _INTERNAL, **kwargs):
    precompiled_header(
        name = name,
        header = header,
        copts = _COPTS + copts,
        precompile = _if_precompiled(True, otherwise = False),
        visibility = visibility,
        **kwargs
    )

def precompiled_for_libraries(name):
    """The header <name>.h, precompiled for libraries."""
    _precompiled(name, name + ".h", copts = _HARDENED)

def precompiled_for_kernels(name, deps):
    """The header <name>.h, precompiled as <name>_<instruction set>.h for kernels."""
    for backend, flags in _INSTRUCTION_SETS.items():
        _precompiled(
            name + "_" + backend,
            name + ".h",
            copts = _kernel_copts(flags),
            local_defines = _KERNEL_DEFINES,
            target_compatible_with = _UNLESS_ONLY_BASELINE if flags else [],
            deps = deps,
        )

# What GCC reads from a precompiled header it tells Bazel only with this flag: without
# it, sources of headers that change are compiled again in fresh clones alone.
_TRACKED = _if_precompiled(["-fpch-deps"])

def precompiled_for_tests(name, deps, is_tracked = False):
    """The header <name>.h, precompiled for sources of tests."""
    _precompiled(name, name + ".h", copts = ["-O0"], deps = deps, is_tracked = is_tracked)

# What takes time when programs run is in the libraries.
_PROGRAM_OPTIMIZATION = select({
    _OPTIMIZED: ["-O1"],
    "//conditions:default": [],
})

def precompiled_for_programs(name, deps):
    """The header <name>.h, precompiled for programs."""
    _precompiled(
        name,
        name + ".h",
        copts = _PROGRAM_OPTIMIZATION,
        deps = deps,
        is_tracked = True,
    )

def precompiled_for_users(name, deps):
    """The header <name>.h, precompiled for sources with CATENA_COPTS."""
    _precompiled(
        name,
        name + ".h",
        visibility = ["//visibility:public"],
        deps = deps,
        is_tracked = True,
        tags = ["manual"],
    )

def _including(target):
    """Flags and dependencies that include a header of tools/precompiled, if precompiled."""
    return (
        _if_precompiled(["-include", "catena/tools/precompiled/" + target + ".h"]),
        _if_precompiled([Label("//tools/precompiled:" + target)]),
    )

# Flags of any cc_ rule with the dependency @catena//:precompiled, which is @catena: its
# sources begin with catena.h, which GCC reads precompiled with
# --define=catena_precompile=true.
CATENA_COPTS = _COPTS + _including("whole_catena")[0] + _TRACKED

def program(name, deps, **kwargs):
    """A program of <name>.cc that is compiled fast, for examples and tests of programs.

    Args:
      name: the program.
      deps: what it includes; with //:catena, its headers are precompiled.
      **kwargs: passed to cc_binary.
    """
    include, header = ([], [])
    if "//:catena" in deps:
        include, header = _including("catena_headers")
        include += _TRACKED
    cc_binary(
        name = name,
        srcs = [name + ".cc"],
        copts = _COPTS + _PROGRAM_OPTIMIZATION + include,
        features = _MAY_USE_FOLDERS,
        deps = deps + header,
        **kwargs
    )

def _library(name, srcs = [], deps = [], copts = [], linkopts = [], **kwargs):
    include, header = ([], [])
    if srcs and not copts:  # a precompiled header is for sources with the same flags
        include, header = _including("standard_library")
    cc_library(
        name = name,
        srcs = srcs,
        copts = _COPTS + _HARDENED + copts + include,
        features = _MAY_USE_FOLDERS if _is_for_programs() else [],
        include_prefix = "catena/" + native.package_name(),
        linkopts = _OPENMP + _HARDENED_LINKING + linkopts,
        linkstatic = _LINKSTATIC,
        deps = deps + header,
        **kwargs
    )

def library(
        name,
        srcs = None,
        hdrs = None,
        parts = [],
        deps = [],
        copts = [],
        linkopts = [],
        golden = [],
        internal_hdrs = [],
        test_deps = [],
        device_test_deps = None,
        testonly = None,
        visibility = _INTERNAL,
        **kwargs):
    """A cc_library whose headers are included as "catena/<folder>/<file>.h".

    If there is <name>_test.cc, that is its test: a unit_test, or with device_test_deps
    a device_test. But a test that stands above in BUILD and has that source is as it is
    there: with a size, say, or with further sources.

    Args:
      name: the library.
      srcs: defaults to <name>.cc, if it exists, and the sources of its parts.
      hdrs: defaults to <name>.h, if it exists, and the headers of its parts.
      parts: further files, named without .h and .cc.
      deps: what its files include, except for tools/given_deps.bzl.
      copts: compiler flags.
      linkopts: linker flags.
      golden: files under tests/golden that its test reads.
      internal_hdrs: further headers, for catena's own code; the headers of whole
        folders (tools/reference_pages) leave them out.
      test_deps: what the unit_test includes besides.
      device_test_deps: what the device_test includes besides.
      testonly: defaults to True for test support: in tests/ and in folders named testing.
      visibility: defaults to the whole repository; see also public_library.
      **kwargs: passed to cc_library.
    """
    if hdrs == None:
        hdrs = [file for file in _files(name, parts, ".h") if file not in internal_hdrs]
    _library(
        name = name,
        srcs = _files(name, parts, ".cc") if srcs == None else srcs,
        hdrs = hdrs + internal_hdrs,
        copts = copts,
        linkopts = linkopts,
        testonly = _is_for_tests() if testonly == None else testonly,
        visibility = visibility,
        deps = _with_given(GIVEN_TO_LIBRARIES, name, deps),
        **kwargs
    )
    test = name + "_test"
    if not source_of(test) or _is_in_test(test + ".cc"):
        return
    data = ["//tests/golden:" + file for file in golden]
    if device_test_deps != None:
        device_test(name = test, data = data, deps = [":" + name] + device_test_deps)
    else:
        unit_test(name = test, data = data, deps = [":" + name] + test_deps)

def public_library(name, test_deps = [], device_test_deps = None, **kwargs):
    """A library for users: its headers are on a reference page (tools/reference_pages).

    Args:
      name: the library.
      test_deps: what the unit_test includes besides.
      device_test_deps: what the device_test includes besides.
      **kwargs: passed to library.
    """
    library(
        name = name,
        test_deps = test_deps,
        device_test_deps = device_test_deps,
        visibility = ["//visibility:public"],
        **kwargs
    )

def folder(name = None, hdrs = None, deps = [], testonly = False):
    """The target of a folder: all public libraries declared before it in BUILD.

    A header that includes them all is written by tools/reference_pages. It is for
    programs: no library may depend on the target of a folder with such a header,
    which tools/check_layers checks.

    Args:
      name: defaults to the folder's name.
      hdrs: the header that includes them all; defaults to <name>.h, if it exists.
      deps: further targets.
      testonly: collects the testonly libraries instead.
    """

    # For tools/reference_pages and the tests of pages.
    native.exports_files(["BUILD"] + native.glob(["README.md"], allow_empty = True))
    name = name or native.package_name().split("/")[-1]
    if hdrs == None:
        hdrs = header_of(name)
    members = [
        ":" + rule["name"]
        for rule in native.existing_rules().values()
        if rule["kind"] == "cc_library" and rule.get("hdrs") and
           (testonly or not rule.get("testonly")) and
           "//visibility:public" in rule["visibility"]
    ]
    _library(
        name = name,
        testonly = testonly,
        hdrs = hdrs,
        tags = ["umbrella"] if hdrs else [],
        visibility = ["//visibility:public"],
        deps = members + deps,
    )

def _headers(files):
    return [file for file in files if file.endswith(".h")]

def _without_headers(files):
    return [file for file in files if not file.endswith(".h")]

def kernel_library(
        name,
        srcs = None,
        hdrs = None,
        deps = [],
        cpu_srcs = [],
        cpu_deps = [],
        cuda = True,
        cuda_srcs = [],
        cuda_deps = [],
        copts = [],
        linkopts = [],
        cuda_copts = [],
        cudnn = False,
        visibility = _INTERNAL):
    """Kernels for every target: see array/kernels/kernel_slot.h and kernel_definition.h.

    srcs are compiled for each instruction set of the CPU, and for CUDA. Each time
    CATENA_BACKEND is a different namespace (cpu_baseline, cpu_avx2, cpu_avx512,
    cuda), which must contain all code of the sources. cpu_srcs are compiled once
    for the CPU, with CATENA_BACKEND=cpu_portable, and cuda_srcs only for CUDA.

    Clients need no other dependency: the library includes CUDA's kernels with
    --config=cuda, and only then.

    Args:
      name: the library. <name>_headers has only the headers.
      srcs: sources that compile as C++ and, unless `cuda` is False, as CUDA; defaults to
        <name>.cc, if it exists and there are no other sources.
      hdrs: headers for users of the kernels; defaults to <name>.h, if it exists.
      deps: dependencies of all sources and headers, except for GIVEN_TO_KERNELS.
      cpu_srcs: sources and private headers for any CPU.
      cpu_deps: dependencies of cpu_srcs only.
      cuda: whether srcs are also compiled for CUDA.
      cuda_srcs: sources and private headers only for CUDA, as those of cuda_library.
      cuda_deps: dependencies of everything compiled for CUDA, except for
        GIVEN_TO_CUDA_SOURCES.
      copts: flags of the CPU's compiler.
      linkopts: linker flags for cpu_srcs.
      cuda_copts: flags of nvcc.
      cudnn: whether the code for CUDA needs cuDNN, which emulated GPUs lack.
      visibility: of name and <name>_headers.
    """
    headers = name + "_headers"
    if srcs == None:
        srcs = [] if cpu_srcs or cuda_srcs else source_of(name)
    hdrs = header_of(name) if hdrs == None else hdrs
    deps = _with_given(GIVEN_TO_KERNELS, name, deps)
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
            deps = [":" + headers] + _union(deps, cpu_deps),
        )
        cpu_libraries.append(":%s_cpu_portable" % name)
    for backend, flags in _INSTRUCTION_SETS.items() if srcs else []:
        compiled = "%s_%s" % (name, backend)
        include, header = ([], [])
        if not copts:
            include, header = _including("kernel_headers_" + backend)

        # Precompiled headers forget the pragmas that turn off these warnings of intrinsics.
        warnings = [] if copts else _if_precompiled([
            "-Wno-uninitialized",
            "-Wno-maybe-uninitialized",
        ])
        cc_library(
            name = compiled,
            srcs = srcs,
            copts = _COPTS + _kernel_copts(flags) + copts + include + warnings,
            local_defines = _KERNEL_DEFINES + ["CATENA_BACKEND=" + backend],
            linkstatic = _LINKSTATIC,
            target_compatible_with = _UNLESS_ONLY_BASELINE if flags else [],
            visibility = ["//visibility:private"],
            deps = [":" + headers] + deps + header,
        )
        (optional_libraries if flags else cpu_libraries).append(":" + compiled)
        if flags:
            kernel_symbols_test(
                name = compiled + "_symbols_test",
                size = "small",
                instruction_set = backend,
                library = ":" + compiled,
                # Without optimization, required inlining does not happen.
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
            srcs = _without_headers(cuda_srcs),
            hdrs = _headers(for_cuda),
            kernel_srcs = _without_headers(srcs) if cuda else [],
            copts = cuda_copts,
            cudnn = cudnn,
            local_defines = ["CATENA_BACKEND=cuda"],
            visibility = ["//visibility:private"],
            deps = [":" + headers] + _union(
                deps,
                _with_given(GIVEN_TO_CUDA_SOURCES, name, cuda_deps),
            ),
            # It fills slots that are defined with the CPU's kernels.
            link_deps = cpu_libraries,
        )
    _library(
        name = name,
        hdrs = hdrs,
        visibility = visibility,
        deps = [":" + headers] + cpu_libraries +
               (with_cuda([":%s_cuda" % name], name, cudnn) if for_cuda else []),
    )

def _if_cuda(there, otherwise, cudnn = False):
    """`there` with --config=cuda and, unless it needs cuDNN, --config=cuda_emulated."""
    return select({
        _EMULATES_CUDA: otherwise if cudnn else there,
        _WITH_CUDA: there,
        "//conditions:default": otherwise,
    })

def with_cuda(deps, name, cudnn = False):
    """Dependencies that the library `name` has only with --config=cuda, for its deps.

    Programs link them; nothing is compiled with their headers.
    """
    link_only(
        name = name + "_with_cuda",
        deps = _if_cuda(deps, [], cudnn),
        visibility = ["//visibility:private"],
    )
    return [":%s_with_cuda" % name]

def cuda_library(
        name,
        srcs = None,
        hdrs = None,
        parts = [],
        deps = [],
        copts = [],
        cudnn = False,
        local_defines = [],
        kernel_srcs = [],
        link_deps = [],
        visibility = _INTERNAL):
    """A library for CUDA, linked with alwayslink.

    srcs, hdrs and parts are as in library(): nvcc compiles .cu and kernel_srcs, the C++
    compiler .cc, which register no kernels, in a fifth of the time. copts are nvcc's.
    link_deps are linked after it; it is not compiled with their headers. deps are what
    its files include, except for GIVEN_TO_CUDA_LIBRARIES.

    It is skipped without --config=cuda, so deps may include @cuda//:... .
    """
    srcs = _files(name, parts, ".cc") if srcs == None else srcs
    hdrs = _files(name, parts, ".h") if hdrs == None else hdrs
    compatible = _if_cuda([], [_INCOMPATIBLE], cudnn)
    deps = _with_given(GIVEN_TO_CUDA_LIBRARIES, name, deps)
    cuda_deps = _if_cuda(deps + [Label("@cuda//:cudart")], [], cudnn)
    by_host = [file for file in srcs if file.endswith(".cc")]
    by_nvcc = [file for file in srcs if file not in by_host] + kernel_srcs
    is_compiled = bool(by_host + by_nvcc)
    host = name + "_interface" if is_compiled else name
    _library(
        name = host,
        srcs = by_host,
        hdrs = hdrs,
        alwayslink = bool(by_host),
        local_defines = local_defines,
        tags = ["cuda"] if by_host else [],  # for .ci/run
        target_compatible_with = compatible,
        visibility = ["//visibility:private"] if is_compiled else visibility,
        deps = cuda_deps,
    )
    if not is_compiled:
        return
    if by_nvcc:
        cuda_objects(
            name = name + "_objects",
            srcs = by_nvcc,
            copts = copts,
            local_defines = local_defines,
            nvcc = _if_cuda(Label("@cuda//:nvcc"), None, cudnn),
            target_compatible_with = compatible,
            visibility = ["//visibility:private"],
            deps = [":" + host],
        )
    cc_library(
        name = name,
        srcs = [":" + name + "_objects"] if by_nvcc else [],
        alwayslink = True,
        linkopts = _OPENMP,
        linkstatic = _LINKSTATIC,
        target_compatible_with = compatible,
        visibility = visibility,
        deps = [":" + host] + link_deps,
    )

# Programs and tests may include headers through the target of a folder, which Clang's
# layering_check can't know; tools/check_deps checks them.
_MAY_USE_FOLDERS = ["-layering_check"]

# How many tests of a folder are compiled as one source.
_TESTS_PER_SOURCE = 8

def _googletest(name, srcs, deps, header = "gtest", copts = [], linkopts = [], **kwargs):
    cc_test(
        name = name,
        srcs = srcs,
        copts = _COPTS +
                _if_precompiled(["-include", "catena/tests/support/%s.h" % header]) +
                (_TRACKED if header == "gtest_catena" else []) + copts,
        features = _MAY_USE_FOLDERS,
        linkopts = _OPENMP + linkopts,
        deps = deps + [
            "@googletest//:gtest_main",
            Label("//tests/support:" + header),
        ],
        **kwargs
    )

def unit_test(
        name,
        srcs = None,
        deps = [],
        tags = [],
        data = [],
        own_program = False,
        **kwargs):
    """A GoogleTest program, of <name>.cc by default.

    Its sources are compiled with a precompiled header included first: `header` is
    "gtest", or "gtest_catena" for what includes catena.h, of tests/support. Its deps are
    what they include, except for tools/given_deps.bzl.

    For //... and //folder:all, folder_tests makes one program of it and the other tests
    of the folder; if it is named, //folder:<name>, or with --build_manual_tests, it is a
    program of its own.

    Args:
      name: the test.
      srcs: defaults to <name>.cc.
      deps: what its sources include.
      tags: other tags than a device_test has make it a program of its own.
      data: files that it reads.
      own_program: whether it is always a program of its own: as is each test with other
        arguments, or with several sources.
      **kwargs: passed to cc_test.
    """
    srcs = source_of(name) if srcs == None else srcs
    deps = _with_given(GIVEN_TO_TESTS, name, deps)
    if (own_program or kwargs or len(srcs) != 1 or tags not in ([], ["gpu"]) or
        native.repository_name() != _REPOSITORY):
        _googletest(name, srcs, deps, tags = tags, data = data, **kwargs)
        return
    test_source(
        name = name + "_source",
        testonly = True,
        src = srcs[0],
        data = data,
        tags = tags,
        visibility = ["//visibility:private"],
        deps = deps,
    )
    _googletest(name, srcs, deps, tags = tags + ["alone", "manual"], data = data)

def device_test(name, tags = [], **kwargs):
    """A unit_test whose cases have a device as parameter.

    With --config=cuda it also runs the cases for cuda:0, which are skipped without
    a GPU.
    """
    unit_test(
        name = name,
        tags = tags + ["gpu"],
        **kwargs
    )

def _tests_of_folder(name, tags):
    """The tests declared so far that have these tags, as one program."""
    tests = [
        ":" + rule["name"]
        for rule in native.existing_rules().values()
        if rule["kind"] == "test_source" and list(rule["tags"]) == tags
    ]
    if not tests:
        return
    sources = []
    for first in range(0, len(tests), _TESTS_PER_SOURCE):
        sources.append("%s_%d_test" % (name, len(sources)))
        included_together(
            name = sources[-1],
            testonly = True,
            sources = tests[first:first + _TESTS_PER_SOURCE],
            visibility = ["//visibility:private"],
        )
    _googletest(
        name = name,
        srcs = sources,
        shard_count = len(sources),
        tags = tags,
        deps = tests,
    )

def folder_tests():
    """Makes one program of the unit_tests above it in BUILD, and one of the device_tests.

    They are //folder:tests and //folder:device_tests. GoogleTest's templates take longer
    to compile than what most tests test: several of them, compiled as one source and
    linked as one program, take a third of the time. So names in a test's anonymous
    namespace are unique in its folder.
    """
    _tests_of_folder("tests", [])
    _tests_of_folder("device_tests", ["gpu"])

def gpu_test(name, deps = [], **kwargs):
    """A unit_test of CUDA code, skipped without --config=cuda or without a GPU."""
    unit_test(
        name = name,
        tags = ["gpu"],
        own_program = True,
        deps = _with_given(GIVEN_TO_GPU_TESTS, name, deps),
        **kwargs
    )

def benchmark_binary(name, srcs = None, deps = [], tags = [], **kwargs):
    """A Google Benchmark program: //... builds it, nothing runs it."""
    cc_binary(
        name = name,
        testonly = True,
        srcs = source_of(name) if srcs == None else srcs,
        copts = _COPTS,
        features = _MAY_USE_FOLDERS,
        tags = tags + ["benchmark"],
        deps = _with_given(GIVEN_TO_BENCHMARKS, name, deps) +
               ["@google_benchmark//:benchmark_main"],
        **kwargs
    )

def fuzz_binary(name, srcs = None, deps = [], tags = [], seeds = None, **kwargs):
    """A fuzz target, built only if named explicitly:

    tools/fuzz //array/io:npz_fuzz --seconds=60

    Args:
      name: the program, <reader>_fuzz.
      srcs: <name>.cc by default.
      deps: what it includes.
      tags: further tags.
      seeds: a folder with inputs besides those in fuzz_corpus/<reader>, from the root.
      **kwargs: passed to cc_binary.
    """
    cc_binary(
        name = name,
        testonly = True,
        srcs = source_of(name) if srcs == None else srcs,
        copts = _COPTS,
        linkopts = select({
            str(Label("//tests/fuzzing:engine_given")): [],
            "//conditions:default": ["-fsanitize=fuzzer"],
        }),
        tags = tags + [
            "fuzz",
            "manual",
        ] + (["seeds=" + seeds] if seeds else []),
        deps = _with_given(GIVEN_TO_FUZZERS, name, deps),
        **kwargs
    )
