"""What //:install puts into a folder: shared libraries made of static ones, and headers."""

load("@rules_cc//cc:defs.bzl", "CcInfo", "cc_binary", "cc_common")
load("@bazel_tools//tools/cpp:toolchain_utils.bzl", "find_cpp_toolchain")

def _archive(library):
    return library.pic_static_library or library.static_library

def _whole_libraries_impl(ctx):
    toolchain = find_cpp_toolchain(ctx)
    features = cc_common.configure_features(
        ctx = ctx,
        cc_toolchain = toolchain,
        requested_features = ctx.features,
        unsupported_features = ctx.disabled_features,
    )
    elsewhere = {
        _archive(library): None
        for dep in ctx.attr.without
        for linked in dep[CcInfo].linking_context.linker_inputs.to_list()
        for library in linked.libraries
    }
    linking = cc_common.merge_cc_infos(
        cc_infos = [dep[CcInfo] for dep in ctx.attr.deps],
    ).linking_context
    inputs = []
    for linked in linking.linker_inputs.to_list():
        repository = linked.owner.workspace_name
        if repository.startswith("abseil-cpp"):
            continue
        inputs.append(cc_common.create_linker_input(
            owner = linked.owner,
            user_link_flags = depset(linked.user_link_flags),
            additional_inputs = depset(linked.additional_inputs),
            libraries = depset([
                cc_common.create_library_to_link(
                    actions = ctx.actions,
                    feature_configuration = features,
                    cc_toolchain = toolchain,
                    pic_static_library = _archive(library),
                    alwayslink = repository == ctx.label.workspace_name,
                )
                for library in linked.libraries
                if _archive(library) not in elsewhere
            ]),
        ))
    scripts = ctx.files.below + [ctx.file.abseil, ctx.file.exported_names, ctx.file.soname]
    inputs.append(cc_common.create_linker_input(
        owner = ctx.label,
        user_link_flags = depset([
            "@" + ctx.file.soname.path,
            "-Wl,--version-script=" + ctx.file.exported_names.path,
            "-Wl,--no-undefined",
            "-Wl,-rpath,$ORIGIN",
        ] + [library.path for library in ctx.files.below] + [ctx.file.abseil.path]),
        additional_inputs = depset(scripts),
    ))
    return [CcInfo(linking_context = cc_common.create_linking_context(
        linker_inputs = depset(inputs, order = "topological"),
    ))]

_whole_libraries = rule(
    doc = """What a shared library of deps is linked with: all of catena's libraries below.

Those of `without` are left out, because the shared libraries `below`, which are loaded
from the same folder, contain them. Abseil's are replaced by the system's shared ones:
its static ones are not position independent, and programs need some, too.
""",
    implementation = _whole_libraries_impl,
    attrs = {
        "abseil": attr.label(
            default = "@abseil-cpp//:shared_libraries",
            allow_single_file = True,
        ),
        "below": attr.label_list(allow_files = [".so"]),
        "deps": attr.label_list(mandatory = True, providers = [CcInfo]),
        "exported_names": attr.label(
            default = ":exported_names.lds",
            allow_single_file = True,
        ),
        "soname": attr.label(
            doc = "A file with linker options.",
            mandatory = True,
            allow_single_file = True,
        ),
        "without": attr.label_list(providers = [CcInfo]),
        "_cc_toolchain": attr.label(default = "@bazel_tools//tools/cpp:current_cc_toolchain"),
    },
    fragments = ["cpp"],
    toolchains = ["@bazel_tools//tools/cpp:toolchain_type"],
)

def installed_library(name, deps, without = [], below = []):
    """The shared library lib<name>.so of all that deps contain.

    Args:
      name: of the library.
      deps: static libraries; none is compiled again.
      without: libraries of which nothing is linked, because `below` has it.
      below: shared libraries that this one loads from its own folder.
    """
    native.genrule(
        name = name + "_soname",
        srcs = ["//:MODULE.bazel"],
        outs = [name + "_soname.txt"],
        cmd = "$(location install.py) --soname-of $(location //:MODULE.bazel)" +
              " lib%s.so > $@" % name,
        tags = ["manual"],
        tools = ["install.py"],
    )
    _whole_libraries(
        name = name + "_whole",
        below = below,
        soname = name + "_soname.txt",
        tags = ["manual"],
        deps = deps,
        without = without,
    )
    cc_binary(
        name = "lib%s.so" % name,
        linkshared = True,
        tags = ["manual"],
        deps = [":" + name + "_whole"],
    )

def _own_sources(ctx, files):
    """catena's own source files among `files`, by their paths in the repository."""
    prefix = "../%s/" % ctx.label.workspace_name if ctx.label.workspace_name else ""
    return {
        file.short_path[len(prefix):]: file
        for file in files.to_list()
        if file.is_source and file.owner.workspace_name == ctx.label.workspace_name
    }

def _installation_impl(ctx):
    headers = _own_sources(ctx, depset(transitive = [
        dep[CcInfo].compilation_context.headers
        for dep in ctx.attr.deps
    ]))
    data = _own_sources(ctx, depset(transitive = [
        dep[DefaultInfo].data_runfiles.files
        for dep in ctx.attr.deps
    ]))
    roots = _own_sources(ctx, depset([
        file
        for dep in ctx.attr.deps
        for file in dep[CcInfo].compilation_context.direct_public_headers
        if file.short_path.split("/")[-1] not in ctx.attr.internal_headers
    ]))
    defines = cc_common.merge_cc_infos(
        cc_infos = [dep[CcInfo] for dep in ctx.attr.deps],
    ).compilation_context.defines.to_list()
    manifest = ctx.actions.declare_file(ctx.label.name + ".json")
    ctx.actions.write(manifest, struct(
        manifest = manifest.short_path,
        libraries = [file.short_path for file in ctx.files.libraries],
        headers = headers.keys(),
        root = "../" + ctx.label.workspace_name if ctx.label.workspace_name else ".",
        roots = roots.keys(),
        data = data.keys(),
        license = ctx.file.license.short_path,
        templates = [file.short_path for file in ctx.files.templates],
        version_file = ctx.file.version_file.short_path,
        targets = ctx.attr.targets,
        defines = defines,
        cuda = ctx.var.get("catena_cuda", "false") == "true",
    ).to_json())
    script = ctx.actions.declare_file(ctx.label.name)
    folder = "$0.runfiles/" + ctx.workspace_name
    ctx.actions.write(script, "#!/bin/sh\nexec python3 \"%s/%s\" --manifest=\"%s/%s\" \"$@\"\n" % (
        folder,
        ctx.file.program.short_path,
        folder,
        manifest.short_path,
    ), is_executable = True)
    return [DefaultInfo(executable = script, runfiles = ctx.runfiles(
        [manifest, ctx.file.program, ctx.file.license, ctx.file.version_file] +
        headers.values() + data.values() + ctx.files.libraries + ctx.files.templates,
    ))]

installation = rule(
    doc = "Runs a program that copies shared libraries and headers to a folder.",
    implementation = _installation_impl,
    attrs = {
        "deps": attr.label_list(
            doc = "Libraries; installs their headers and what these include.",
            providers = [CcInfo],
        ),
        "internal_headers": attr.string_list(
            doc = "The names of headers of deps that are for catena itself.",
        ),
        "libraries": attr.label_list(
            doc = "Shared libraries.",
            allow_files = [".so"],
        ),
        "license": attr.label(allow_single_file = True),
        "program": attr.label(allow_single_file = True),
        "targets": attr.string_list_dict(
            doc = "For each shared library, the names of its CMake targets.",
        ),
        "templates": attr.label_list(allow_files = True),
        "version_file": attr.label(allow_single_file = True),
    },
    executable = True,
)
