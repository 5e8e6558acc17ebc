"""Tests that are compiled together: see folder_tests in build_defs.bzl."""

load("@rules_cc//cc:defs.bzl", "CcInfo", "cc_common")

def _test_source_impl(ctx):
    info = CcInfo(compilation_context = cc_common.create_compilation_context(
        headers = depset(ctx.files.src),
    ))
    runfiles = ctx.runfiles(files = ctx.files.data)
    for target in ctx.attr.data + ctx.attr.deps:
        runfiles = runfiles.merge(target[DefaultInfo].default_runfiles)
    return [
        DefaultInfo(files = depset(ctx.files.src), runfiles = runfiles),
        cc_common.merge_cc_infos(
            cc_infos = [info] + [dep[CcInfo] for dep in ctx.attr.deps],
        ),
    ]

test_source = rule(
    doc = """A test's source as a header, with what it needs.""",
    implementation = _test_source_impl,
    attrs = {
        "data": attr.label_list(allow_files = True),
        "deps": attr.label_list(providers = [CcInfo]),
        "src": attr.label(mandatory = True, allow_single_file = [".cc"]),
    },
)

def _included_together_impl(ctx):
    source = ctx.actions.declare_file(ctx.label.name + ".cc")
    ctx.actions.write(source, "".join([
        '#include "%s"\n' % file.path
        for file in ctx.files.sources
    ]))
    return [DefaultInfo(files = depset([source]))]

included_together = rule(
    doc = """<name>.cc, which includes test_sources.""",
    implementation = _included_together_impl,
    attrs = {"sources": attr.label_list(mandatory = True)},
)
