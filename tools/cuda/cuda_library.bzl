"""Compiles CUDA C++ with nvcc into object files, which cc_library archives.

Architectures: --define=cuda_arch=80,90 (the default; --define=cuda_arch=90 for
one). Programs contain code for each and PTX of the last, which the driver
compiles for newer GPUs; --define=cuda_ptx=false leaves it out.
"""

load("@rules_cc//cc:defs.bzl", "CcInfo", "cc_common")

_FLAGS = [
    "-std=c++20",
    "-O2",
    "--expt-relaxed-constexpr",
    "--expt-extended-lambda",
    "-Xcompiler=-fPIC,-fopenmp,-ffunction-sections,-fdata-sections",
]

# For the C++ compiler, which stands for nvcc with --config=cuda_emulated. Most of
# the time goes into compiling, hence -O1.
_EMULATED_FLAGS = [
    "-std=c++20",
    "-O1",
    "-fPIC",
    "-fopenmp",
    "-ffp-contract=off",
    "-ffunction-sections",
    "-fdata-sections",
    "-fno-gnu-unique",
    "-Wall",
    "-Wno-unknown-pragmas",
]

# Warnings of a newer nvcc do not break builds of other projects.
_WARNINGS = [
    "-Xcompiler=-Wall,-Wextra",
    # Caused by the host code that nvcc generates.
    "-Xcompiler=-Wno-unused-parameter,-Wno-unknown-pragmas",
    "-Werror=all-warnings",
    # Templates compare values of any type with zero.
    "-diag-suppress=186",
]

def _architecture_flags(architectures, with_ptx):
    flags = ["arch=compute_{0},code=sm_{0}".format(a) for a in architectures]
    if with_ptx:
        flags.append("arch=compute_{0},code=compute_{0}".format(architectures[-1]))
    return ["-gencode=" + flag for flag in flags]

def _cuda_objects_impl(ctx):
    context = cc_common.merge_cc_infos(
        cc_infos = [dep[CcInfo] for dep in ctx.attr.deps],
    ).compilation_context
    flags = ctx.actions.args()
    is_emulated = ctx.file.nvcc.basename == "emulated_nvcc"
    if is_emulated:
        flags.add_all(_EMULATED_FLAGS)
        flags.add_all(ctx.fragments.cpp.copts)  # sanitizers among them
    else:
        flags.add_all(_FLAGS)
        if not ctx.label.workspace_name:
            flags.add_all(_WARNINGS)
        if ctx.var["COMPILATION_MODE"] == "opt":
            flags.add("-DNDEBUG")
        architectures = ctx.var.get("cuda_arch", "80,90").split(",")
        with_ptx = ctx.var.get("cuda_ptx", "true") == "true"
        flags.add_all(_architecture_flags(architectures, with_ptx))
    flags.add_all(ctx.attr.local_defines, before_each = "-D")
    flags.add_all(context.defines, before_each = "-D")
    flags.add_all(context.quote_includes, before_each = "-I")
    flags.add_all(context.includes, before_each = "-I")
    flags.add_all(context.system_includes, before_each = "-isystem")
    if not is_emulated:
        flags.add_all(ctx.attr.copts)  # nvcc's

    private_headers = []
    sources = []
    for file in ctx.files.srcs:
        is_header = file.extension in ["h", "cuh"]
        (private_headers if is_header else sources).append(file)

    objects = []
    for source in sources:
        output = ctx.actions.declare_file(
            "_objs/{}/{}.o".format(ctx.label.name, source.basename),
        )
        files = ctx.actions.args()
        files.add_all(["-x", "c++" if is_emulated else "cu", "-c", source])
        files.add_all(["-o", output])
        ctx.actions.run(
            mnemonic = "CudaCompile",
            progress_message = "Compiling %s with nvcc" % source.short_path,
            executable = ctx.file.nvcc,
            arguments = [flags, files],
            inputs = depset(
                [source] + private_headers,
                transitive = [context.headers],
            ),
            outputs = [output],
            use_default_shell_env = True,
        )
        objects.append(output)
    return [DefaultInfo(files = depset(objects))]

cuda_objects = rule(
    fragments = ["cpp"],
    doc = "Object files made by nvcc from srcs, with the includes of deps.",
    implementation = _cuda_objects_impl,
    attrs = {
        "copts": attr.string_list(),
        "deps": attr.label_list(providers = [CcInfo]),
        "local_defines": attr.string_list(),
        # Set by a select, so that a build without CUDA does not fetch @cuda.
        "nvcc": attr.label(allow_single_file = True),
        "srcs": attr.label_list(allow_files = [".cu", ".cc", ".cuh", ".h"]),
    },
)
