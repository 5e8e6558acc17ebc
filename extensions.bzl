"""Module extension for what no registry holds as catena needs it.

OpenBLAS and oneDNN are in the registry, but not in a build that shares one
OpenMP runtime, nor with LAPACK. OpenSSL is every system's own, which its updates
keep safe.
"""

load("//tools:system_repository.bzl", "overlay_repository")
load("//tools/cuda:cuda_repository.bzl", "cuda_repository")

def _system_libraries_impl(_module_ctx):
    for name in ["hdf5", "onednn", "openblas", "openmpi", "openssl"]:
        overlay_repository(name = name, overlay = name)
    cuda_repository(name = "cuda")

system_libraries = module_extension(
    doc = "Repositories over the libraries that are installed on this machine.",
    implementation = _system_libraries_impl,
)
