"""A test on the compiled code of a kernel_library."""

def _kernel_symbols_test_impl(ctx):
    archives = [
        file
        for file in ctx.files.library
        if file.extension == "a"
    ]
    ctx.actions.write(
        output = ctx.outputs.executable,
        content = "#!/bin/sh\nexec {} {} {}\n".format(
            ctx.executable.checker.short_path,
            ctx.attr.instruction_set,
            " ".join([archive.short_path for archive in archives]),
        ),
        is_executable = True,
    )
    runfiles = ctx.runfiles(files = archives + [ctx.executable.checker])
    return [DefaultInfo(runfiles = runfiles)]

kernel_symbols_test = rule(
    doc = "Runs check_kernel_symbols on a library of one instruction set.",
    implementation = _kernel_symbols_test_impl,
    attrs = {
        "checker": attr.label(
            default = "//tools:check_kernel_symbols",
            allow_single_file = True,
            cfg = "exec",
            executable = True,
        ),
        "instruction_set": attr.string(mandatory = True),
        "library": attr.label(mandatory = True),
    },
    test = True,
)
