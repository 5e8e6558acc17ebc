"""The headers of libraries as files."""

load("@rules_cc//cc:defs.bzl", "CcInfo")

def _source_headers_impl(ctx):
    headers = depset(transitive = [
        dep[CcInfo].compilation_context.headers
        for dep in ctx.attr.deps
    ])
    return [DefaultInfo(files = depset([
        file
        for file in headers.to_list()
        if file.is_source and file.short_path.startswith(tuple(ctx.attr.folders))
    ]))]

source_headers = rule(
    doc = "The libraries' own and transitively included headers in the given folders.",
    implementation = _source_headers_impl,
    attrs = {
        "deps": attr.label_list(mandatory = True, providers = [CcInfo]),
        "folders": attr.string_list(mandatory = True),
    },
)
