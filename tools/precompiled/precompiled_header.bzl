"""Headers that GCC parses once for many sources."""

load("@bazel_tools//tools/cpp:toolchain_utils.bzl", "find_cpp_toolchain")
load("@rules_cc//cc:defs.bzl", "CcInfo", "cc_common")

def _compile(ctx, header, output, context):
    toolchain = find_cpp_toolchain(ctx)
    features = cc_common.configure_features(
        ctx = ctx,
        cc_toolchain = toolchain,
        requested_features = ctx.features,
        unsupported_features = ctx.disabled_features,
    )
    variables = cc_common.create_compile_variables(
        feature_configuration = features,
        cc_toolchain = toolchain,
        source_file = header.path,
        output_file = output.path,
        include_directories = context.includes,
        quote_include_directories = context.quote_includes,
        system_include_directories = context.system_includes,
        preprocessor_defines = depset(ctx.attr.local_defines, transitive = [context.defines]),
        # The last -x counts; a warning that "#pragma once" is in the main file says nothing.
        user_compile_flags = ctx.fragments.cpp.copts + ctx.fragments.cpp.cxxopts +
                             ctx.attr.copts + ["-w", "-x", "c++-header"] +
                             # GCC then keeps their names, for -fpch-deps of a source.
                             (["-MD", "-MF", "/dev/null"] if ctx.attr.is_tracked else []),
        use_pic = True,
    )
    ctx.actions.run(
        mnemonic = "CppPrecompile",
        progress_message = "Precompiling " + ctx.file.header.short_path,
        executable = cc_common.get_tool_for_action(
            feature_configuration = features,
            action_name = "c++-compile",
        ),
        arguments = cc_common.get_memory_inefficient_command_line(
            feature_configuration = features,
            action_name = "c++-compile",
            variables = variables,
        ),
        env = cc_common.get_environment_variables(
            feature_configuration = features,
            action_name = "c++-compile",
            variables = variables,
        ),
        inputs = depset([header], transitive = [context.headers, toolchain.all_files]),
        outputs = [output],
    )

def _precompiled_header_impl(ctx):
    name = ctx.label.name + ".h"
    path = "/".join([ctx.label.name + "_precompiled", "catena", ctx.label.package, name])
    header = ctx.actions.declare_file(path)
    ctx.actions.symlink(output = header, target_file = ctx.file.header)
    headers = [header]
    context = cc_common.merge_cc_infos(
        cc_infos = [dep[CcInfo] for dep in ctx.attr.deps],
    ).compilation_context
    if ctx.attr.precompile:
        output = ctx.actions.declare_file(path + ".gch")
        _compile(ctx, header, output, context)
        headers.append(output)
    folder = header.path[:-len("/catena/" + ctx.label.package + "/" + name)]
    info = CcInfo(compilation_context = cc_common.create_compilation_context(
        headers = depset(headers),
        includes = depset([folder]),
    ))
    return [
        DefaultInfo(files = depset(headers)),
        cc_common.merge_cc_infos(
            cc_infos = [info] + [dep[CcInfo] for dep in ctx.attr.deps],
        ),
    ]

precompiled_header = rule(
    doc = """A header, included as "catena/<folder>/<name>.h", and what GCC makes of it.

    GCC takes <name>.h.gch in place of <name>.h if a source includes it before all else and
    is compiled, as position independent code, with the flags of the build and `copts`:
    with other target flags it reads the header itself, which takes longer; with other
    flags for optimization it mixes both. It is not the same to the bit each time, what
    is compiled with it is.""",
    implementation = _precompiled_header_impl,
    attrs = {
        "copts": attr.string_list(doc = "Those of the sources."),
        "deps": attr.label_list(providers = [CcInfo]),
        "header": attr.label(mandatory = True, allow_single_file = [".h"]),
        "is_tracked": attr.bool(doc = "Whether sources with -fpch-deps are compiled again " +
                                      "when a header that it includes has changed."),
        "local_defines": attr.string_list(doc = "Those of the sources that the header reads."),
        "precompile": attr.bool(mandatory = True),
        "_cc_toolchain": attr.label(default = "@bazel_tools//tools/cpp:current_cc_toolchain"),
    },
    fragments = ["cpp"],
    toolchains = ["@bazel_tools//tools/cpp:toolchain_type"],
)
