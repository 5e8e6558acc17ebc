"""Libraries that a program links, but that nobody compiles with."""

load("@rules_cc//cc:defs.bzl", "CcInfo", "cc_common")

def _link_only_impl(ctx):
    info = cc_common.merge_cc_infos(
        cc_infos = [dep[CcInfo] for dep in ctx.attr.deps],
    )
    return [CcInfo(linking_context = info.linking_context)]

link_only = rule(
    doc = """Hands its deps on to the linker alone.

So sources that need a library with --config=cuda compile as they do without,
and are not compiled anew.
""",
    implementation = _link_only_impl,
    attrs = {"deps": attr.label_list(providers = [CcInfo])},
)
