"""Repositories for libraries installed on this machine."""

# Extra libraries that some versions have; the installed ones are LIBRARIES in the
# overlay's installed.bzl.
_OPTIONAL_LIBRARIES = {
    # Version 6 has moved most of libmpi there.
    "openmpi": ["open_mpi"],
}

def _mount(repository_ctx, folder):
    for entry in folder.readdir():
        repository_ctx.symlink(entry, entry.basename)

def _overlay_repository_impl(repository_ctx):
    root = repository_ctx.path(Label("//:BUILD")).dirname
    third_party = root.get_child("third_party")
    overlay = repository_ctx.attr.overlay
    _mount(repository_ctx, third_party.get_child(overlay))
    if overlay in _OPTIONAL_LIBRARIES:
        repository_ctx.file("installed.bzl", "LIBRARIES = %r\n" % [
            library
            for library in _OPTIONAL_LIBRARIES[overlay]
            if _is_installed(repository_ctx, library)
        ])

# The compiler prints the bare name of a file that it does not find.
def _is_installed(repository_ctx, library):
    compiler = repository_ctx.which("cc") or repository_ctx.which("gcc")
    if not compiler:
        return False
    file = "lib%s.so" % library
    found = repository_ctx.execute([compiler, "-print-file-name=" + file])
    return found.stdout.strip() not in ["", file]

overlay_repository = repository_rule(
    doc = "Mounts the folder third_party/<overlay> of catena as a repository.",
    implementation = _overlay_repository_impl,
    attrs = {
        "overlay": attr.string(mandatory = True),
    },
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
