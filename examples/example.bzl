"""Programs of examples, and their tests on GPUs."""

load("//:build_defs.bzl", "ONLY_WITH_CUDA", "program", "unit_test")

def example(name, deps = [], **kwargs):
    """A program of <name>.cc with flags.

    Args:
      name: the program.
      deps: what it includes besides flags.
      **kwargs: passed to program.
    """
    program(
        name = name,
        visibility = ["//:__subpackages__"],
        deps = deps + [
            "//examples/support:flags",
            "@abseil-cpp//absl/flags:flag",
        ],
        **kwargs
    )

def gpu_runs_test(name, programs, data = [], deps = [], **kwargs):
    """A unit_test, derived from GpuRunsTest, of programs with a flag for the device.

    Each runs on cuda:0, for two epochs of two steps, as long as that takes less than a
    minute. That needs --config=cuda_emulated, or --config=cuda and a GPU; but
    <name>_on_host always runs them on native:1, which finds arrays that were left on
    native:0.

    Args:
      name: the test.
      programs: what it runs.
      data: files that it reads besides.
      deps: what it includes besides "catena/examples/support/gpu_runs.h".
      **kwargs: passed to unit_test.
    """
    common = dict(
        kwargs,
        srcs = [name + ".cc"],
        data = programs + data,
        deps = ["//examples/support:gpu_runs"] + deps,
    )
    one_thread = {"OMP_NUM_THREADS": "1"}  # many tests run side by side
    unit_test(
        name = name,
        env = one_thread,
        tags = ["gpu"],
        target_compatible_with = ONLY_WITH_CUDA,
        **common
    )
    unit_test(
        name = name + "_on_host",
        env = dict(one_thread, CATENA_EXAMPLES_ON_HOST = "1"),
        **common
    )
