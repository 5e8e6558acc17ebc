"""Libraries that are linked, but not compiled against."""

load("@rules_cc//cc:defs.bzl", "CcInfo", "cc_common")

def _link_only_impl(ctx):
    info = cc_common.merge_cc_infos(
        cc_infos = [dep[CcInfo] for dep in ctx.attr.deps],
    )
    return [CcInfo(linking_context = info.linking_context)]

link_only = rule(
    doc = """Passes its deps only to the linker.

Sources that need a library only with --config=cuda compile the same as without it,
and are not recompiled.
""",
    implementation = _link_only_impl,
    attrs = {"deps": attr.label_list(providers = [CcInfo])},
)
