"""What cuda_repository_test compares."""

load(":cuda_repository.bzl", "toolkit_candidates")

def _path(name):
    return name

def _no_program(_name):
    return None

def candidates_with(environ):
    """The candidates on a machine without nvcc on PATH, separated by spaces."""
    machine = struct(os = struct(environ = environ), path = _path, which = _no_program)
    return " ".join(toolkit_candidates(machine))
