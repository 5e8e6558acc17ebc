"""What catena needs from outside, for a WORKSPACE file.

    load("@catena//:repositories.bzl", "catena_dependencies")

    catena_dependencies()
"""

load(
    "//tools:system_repository.bzl",
    "folder_repository",
    "overlay_repository",
)
load("//tools/cuda:cuda_repository.bzl", "cuda_repository")

# The repository name, as in the Bazel registry, is also the folder name.
_OVERLAYS = [
    "abseil-cpp",
    "curl",
    "google_benchmark",
    "googletest",
    "hdf5",
    "highway",
    "libjpeg_turbo",
    "libpng",
    "nlohmann_json",
    "onednn",
    "openblas",
    "openmpi",
    "openssl",
    "protobuf",
    "remote_coverage_tools",
    "rules_cc",
    "zlib",
]

def catena_dependencies():
    """Declares every repository that is not declared yet."""
    for name in _OVERLAYS:
        if not native.existing_rule(name):
            overlay_repository(name = name, overlay = name)

    # Bazel 4 needs these two in any C++ build.
    for language in ["java", "proto"]:
        if not native.existing_rule("rules_" + language):
            folder_repository(
                name = "rules_" + language,
                package = "bazel-rules-" + language,
                path = "/usr/share/bazel/rules/" + language,
            )

    if not native.existing_rule("cuda"):
        cuda_repository(name = "cuda")
