"""Tests of the errors that code gets from the compiler."""

load("@rules_cc//cc:defs.bzl", "CcInfo", "cc_common")

# Writes the compiler's messages to the log. The compiler is expected to fail.
_COMPILE = """
log=$1
shift
if LC_ALL=C "$@" > "$log" 2>&1; then echo "It compiles." > "$log"; fi
"""

def _compile_error_test_impl(ctx):
    context = cc_common.merge_cc_infos(
        cc_infos = [dep[CcInfo] for dep in ctx.attr.deps],
    ).compilation_context
    toolchain = ctx.attr._cc_toolchain[cc_common.CcToolchainInfo]
    log = ctx.actions.declare_file(ctx.label.name + ".log")
    flags = ctx.actions.args()
    flags.add(log)
    flags.add(toolchain.compiler_executable)
    flags.add_all(["-std=c++20", "-fsyntax-only", "-x", "c++"])
    flags.add_all(context.defines, before_each = "-D")
    flags.add_all(context.quote_includes, before_each = "-I")
    flags.add_all(context.includes, before_each = "-I")
    flags.add_all(context.system_includes, before_each = "-isystem")
    flags.add(ctx.file.src)
    ctx.actions.run_shell(
        mnemonic = "CompileError",
        progress_message = "Compiling %s, which is an error" % ctx.file.src.short_path,
        command = _COMPILE,
        arguments = [flags],
        inputs = depset(
            [ctx.file.src],
            transitive = [context.headers, toolchain.all_files],
        ),
        outputs = [log],
        use_default_shell_env = True,
    )
    ctx.actions.write(
        output = ctx.outputs.executable,
        content = "#!/bin/sh\nexec {} {} {}\n".format(
            ctx.executable._checker.short_path,
            ctx.file.src.short_path,
            log.short_path,
        ),
        is_executable = True,
    )
    return [DefaultInfo(runfiles = ctx.runfiles(
        files = [ctx.file.src, log, ctx.executable._checker],
    ))]

_compile_error_test = rule(
    doc = "Runs check_compile_error on a source and the compiler's messages about it.",
    implementation = _compile_error_test_impl,
    attrs = {
        "deps": attr.label_list(mandatory = True, providers = [CcInfo]),
        "src": attr.label(mandatory = True, allow_single_file = [".cc"]),
        "_cc_toolchain": attr.label(
            default = "@bazel_tools//tools/cpp:current_cc_toolchain",
        ),
        "_checker": attr.label(
            default = "//tools:check_compile_error",
            allow_single_file = True,
            cfg = "exec",
            executable = True,
        ),
    },
    test = True,
)

def compile_error_tests(deps):
    """Tests that the sources of a folder do not compile, for the reasons they name.

    Each comment `// error: TEXT` of a source is a text that the compiler must print. The
    test of <source>.cc is <source>_test.

    Args:
      deps: the libraries whose headers they include.
    """
    for source in native.glob(["*.cc"]):
        _compile_error_test(
            name = source[:-len(".cc")] + "_test",
            size = "small",
            src = source,
            deps = deps,
        )
