"""Repositories over what is installed on this machine."""

def _mount(repository_ctx, folder):
    for entry in folder.readdir():
        repository_ctx.symlink(entry, entry.basename)

def _overlay_repository_impl(repository_ctx):
    root = repository_ctx.path(Label("//:BUILD")).dirname
    third_party = root.get_child("third_party")
    _mount(repository_ctx, third_party.get_child(repository_ctx.attr.overlay))

overlay_repository = repository_rule(
    doc = "Mounts the folder third_party/<overlay> of catena as a repository.",
    implementation = _overlay_repository_impl,
    attrs = {"overlay": attr.string(mandatory = True)},
    local = True,
)

def _folder_repository_impl(repository_ctx):
    folder = repository_ctx.path(repository_ctx.attr.path)
    if not folder.exists:
        fail("%s does not exist: install the package %s" %
             (repository_ctx.attr.path, repository_ctx.attr.package))
    _mount(repository_ctx, folder)

folder_repository = repository_rule(
    doc = "Mounts a folder of this machine which is a Bazel repository.",
    implementation = _folder_repository_impl,
    attrs = {
        "package": attr.string(mandatory = True),
        "path": attr.string(mandatory = True),
    },
    local = True,
)
