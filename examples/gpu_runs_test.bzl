"""Tests that run examples on GPUs that the CPU plays."""

load("//:build_defs.bzl", "ONLY_EMULATED", "unit_test")

def gpu_runs_test(name, programs, data = [], deps = [], **kwargs):
    """A unit_test, derived from GpuRunsTest, of programs with a flag for the device.

    Each runs on cuda:0, for two epochs of two steps, as long as that takes less than a
    minute. It is skipped without --config=cuda_emulated.

    Args:
      name: the test.
      programs: what it runs.
      data: files that it reads besides.
      deps: what it includes besides "catena/examples/support/gpu_runs.h".
      **kwargs: passed to unit_test.
    """
    unit_test(
        name = name,
        size = "medium",
        data = programs + data,
        env = {"OMP_NUM_THREADS": "1"},  # many tests run side by side
        target_compatible_with = ONLY_EMULATED,
        deps = ["//examples/support:gpu_runs"] + deps,
        **kwargs
    )
