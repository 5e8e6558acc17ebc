"""Dependencies that targets of a folder have without naming them.

Labels by folder; the innermost folder that contains the package applies. Nearly
every file there includes them, and its other dependencies depend on them, so that
libraries and programs link nothing more.
"""

_ARRAYS = [
    "//array:array_core",
    "//array:axis",
    "//array:creation",
    "//array/core",
    "//array/reduction:reduce",
    "//array/ufunc",
]

_VARIABLES = _ARRAYS + [
    "//autograd:config",
    "//autograd:core",
]

_FUNCTIONS = _VARIABLES + [
    "//functions:axes",
    "//functions:kinds",
]

_MODELS = _VARIABLES + ["//links:link"]

GIVEN_TO_LIBRARIES = {
    "array/fft": _ARRAYS,
    "array/indexing": _ARRAYS,
    "array/io": ["//array/core"],
    "array/linalg": _ARRAYS,
    "array/manipulation": _ARRAYS,
    "array/sorting": _ARRAYS,
    "array/statistics": _ARRAYS,
    "array/user_kernel": ["//array/core"],
    "caffe": _MODELS,
    "dataset": _ARRAYS,
    "examples": _MODELS,
    "functions": _VARIABLES,
    "functions/activation": _FUNCTIONS,
    "functions/array": _FUNCTIONS,
    "functions/loss": _FUNCTIONS,
    "functions/math": _FUNCTIONS,
    "functions/normalization": _FUNCTIONS,
    "links": _VARIABLES,
    "links/activation": _MODELS,
    "links/connection": _MODELS + ["//links/initializers"],
    "links/link_hooks": _MODELS,
    "links/loss": _MODELS,
    "links/model": _MODELS,
    "links/normalization": _MODELS,
    "optimizers": _MODELS,
    "serializers": ["//array:array_core", "//array:creation", "//array/core"],
    "training": _MODELS,
    "training/extensions": _MODELS + ["//training:trainer"],
}

_ARRAY_TESTS = _ARRAYS + [
    "//array/random",
    "//tests/support:golden",
    "//tests/support:golden_device_test",
    "//tests/testing:array_matchers",
    "//tests/testing:device_test",
    "//tests/testing:temp_folder",
]

_VARIABLE_TESTS = _ARRAY_TESTS + [
    "//autograd:config",
    "//autograd:core",
    "//tests/testing:function_gradients",
]

_MODEL_TESTS = _VARIABLE_TESTS + ["//links:link"]

_TRAINING_TESTS = _MODEL_TESTS + [
    "//links:reporter",
    "//serializers:npz",
    "//training/testing:scripted_training",
]

_PROGRAM_TESTS = [
    "//tests/support:program",
    "//tests/support:program_checks",
    "//tests/support:runfiles",
    "//tests/testing:temp_folder",
    "@nlohmann_json//:json",
]

GIVEN_TO_TESTS = {
    "array": _ARRAY_TESTS,
    "autograd": _VARIABLE_TESTS + [
        "//autograd/testing:live_objects",
        "//autograd/testing:simple_functions",
    ],
    "caffe": _MODEL_TESTS,
    "dataset": _ARRAY_TESTS,
    "docs": _MODEL_TESTS,
    "examples": _PROGRAM_TESTS,
    "functions": _VARIABLE_TESTS,
    "links": _MODEL_TESTS + ["//links/testing:golden_link"],
    "optimizers": _MODEL_TESTS,
    "serializers": _MODEL_TESTS,
    "tests": _ARRAY_TESTS,
    "training": _TRAINING_TESTS,
}

GIVEN_TO_BENCHMARKS = {
    folder: deps + ["//array/random"]
    for folder, deps in {
        "array": _ARRAYS,
        "autograd": _VARIABLES,
        "functions": _VARIABLES,
        "links": _MODELS,
        "optimizers": _MODELS,
        "tests": _MODELS,
        "training": _MODELS,
    }.items()
}

def given(table, package):
    """The dependencies that a table gives to the targets of a package."""
    best = ""
    for folder in table:
        if (package + "/").startswith(folder + "/") and len(folder) > len(best):
            best = folder
    return table[best] if best else []

# The engines that run functors: what the source of a kernel family includes, and
# what launches the kernels on CUDA.
ENGINES = {
    "blocks": {
        "launcher": "//functions/engines/blocks:block_launcher",
        "deps": [
            "//array:array_core",
            "//array/core",
            "//array/kernels",
            "//functions/engines/blocks:block_args",
            "//functions/engines/blocks:block_kernel",
        ],
    },
    "cells": {
        "launcher": "//functions/engines/cells:cell_launcher",
        "deps": [
            "//array/core",
            "//functions/engines/cells:cell_kernel",
            "//functions/engines/cells:gate_ops",
        ],
    },
    "elementwise": {
        "launcher": "//array/cuda:elementwise_launcher",
        "deps": [
            "//array:array_core",
            "//array/core",
            "//array/kernels",
            "//array/ufunc:ufunc_kernels",
            "//functions/engines/elementwise:rule",
            "//functions/engines/elementwise:rule_kernels",
        ],
    },
    "rows": {
        "launcher": "//functions/engines/rows:row_launcher",
        "deps": [
            "//array:array_core",
            "//array/core",
            "//array/kernels",
            "//functions/engines/rows:row_kernel",
        ],
    },
    "spans": {
        "launcher": "//functions/engines/spans:span_launcher",
        "deps": [
            "//array:array_core",
            "//array/core",
            "//array/kernels",
            "//functions/engines/spans:sampling_ops",
            "//functions/engines/spans:span_kernel",
        ],
    },
}
