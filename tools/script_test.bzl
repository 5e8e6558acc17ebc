"""Tests that are scripts."""

def _script_test_impl(ctx):
    program = ctx.actions.declare_file(ctx.label.name)
    ctx.actions.symlink(
        output = program,
        target_file = ctx.file.src,
        is_executable = True,
    )
    runfiles = ctx.runfiles(files = ctx.files.data)
    for one in ctx.attr.data:  # what programs need
        runfiles = runfiles.merge(one[DefaultInfo].default_runfiles)
    return [DefaultInfo(executable = program, runfiles = runfiles)]

# sh_test and py_test are in different modules in each version of Bazel.
script_test = rule(
    doc = "A test that runs an executable script, in the folder that holds all of its data.",
    implementation = _script_test_impl,
    attrs = {
        "data": attr.label_list(allow_files = True),
        "src": attr.label(mandatory = True, allow_single_file = True),
    },
    test = True,
)
