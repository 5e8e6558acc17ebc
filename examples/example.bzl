"""Programs of examples."""

load("@rules_cc//cc:defs.bzl", "cc_binary")

def example(name, deps = [], **kwargs):
    """A program of <name>.cc with flags.

    Args:
      name: the program.
      deps: what it includes besides flags.
      **kwargs: passed to cc_binary.
    """
    cc_binary(
        name = name,
        srcs = [name + ".cc"],
        deps = deps + [
            "//examples/support:flags",
            "@abseil-cpp//absl/flags:flag",
        ],
        **kwargs
    )
