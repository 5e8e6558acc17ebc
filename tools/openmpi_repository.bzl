"""The repository over the installed Open MPI."""

load("//tools:system_repository.bzl", "overlay_repository")

def openmpi_repository():
    """Declares @openmpi."""
    overlay_repository(
        name = "openmpi",
        # Version 6 has most of what libmpi offered in a library beside it.
        optional_libraries = ["open_mpi"],
        overlay = "openmpi",
    )
