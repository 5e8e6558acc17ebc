"""Tests of differentiable functions."""

load("//:build_defs.bzl", "device_test")

def function_test(name, golden = None, deps = [], **kwargs):
    """The test of <function> in <function>_test.cc, on every device.

    Args:
      name: <function>_test; the function's own target is in the deps.
      golden: the names of the functions whose golden cases it runs; defaults
          to <function> alone.
      deps: what it includes besides that and the support for such tests.
      **kwargs: passed to device_test.
    """
    function = name[:-len("_test")]
    device_test(
        name = name,
        size = "small",
        srcs = [name + ".cc"],
        data = [
            "//tests/golden:%s/%s.npz" % (native.package_name(), case)
            for case in ([function] if golden == None else golden)
        ],
        deps = [":" + function] + deps + [
            "//tests/support:device_test",
            "//tests/support:function_golden",
            "//tests/support:function_gradients",
        ],
        **kwargs
    )
