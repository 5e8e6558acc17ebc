"""The static site."""

load("@rules_cc//cc:defs.bzl", "CcInfo")

_Sources = provider("Sources of programs and their libraries.", fields = ["files"])

def _sources_impl(target, ctx):
    direct = [
        file
        for name in ["srcs", "hdrs"]
        for source in getattr(ctx.rule.attr, name, [])
        for file in source.files.to_list()
        if file.is_source
    ]
    return [_Sources(files = depset(direct, transitive = [
        dep[_Sources].files
        for dep in getattr(ctx.rule.attr, "deps", [])
        if _Sources in dep
    ]))]

_sources = aspect(implementation = _sources_impl, attr_aspects = ["deps"])

def _site_impl(ctx):
    out = ctx.actions.declare_directory(ctx.label.name)
    sources = depset(transitive = [
        dep[_Sources].files
        for dep in ctx.attr.deps
    ] + [
        # What generated targets of libraries export.
        dep[CcInfo].compilation_context.headers
        for dep in ctx.attr.deps
        if CcInfo in dep
    ])
    inputs = [
        file
        for file in sources.to_list()
        if file.is_source and not file.short_path.startswith("..")
    ]
    ctx.actions.run(
        executable = ctx.file.tool,
        arguments = [out.path],
        inputs = depset(inputs + ctx.files.srcs + ctx.files.tools),
        outputs = [out],
        mnemonic = "MakeSite",
        progress_message = "Making the site",
        use_default_shell_env = True,
    )
    return [DefaultInfo(files = depset([out]), runfiles = ctx.runfiles([out]))]

site = rule(
    doc = "Runs a program that makes a folder of HTML from sources.",
    implementation = _site_impl,
    attrs = {
        "deps": attr.label_list(doc = "Libraries and programs, for their sources.", aspects = [_sources]),
        "srcs": attr.label_list(doc = "Pages and BUILD files.", allow_files = True),
        "tool": attr.label(allow_single_file = True, mandatory = True),
        "tools": attr.label_list(doc = "What the program loads.", allow_files = True),
    },
)
