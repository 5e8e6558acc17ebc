"""Dependencies that targets of a folder have without naming them.

Labels by folder; the innermost folder that contains the package applies, and "" is for
all. Nearly every file there includes them, and its other dependencies depend on them,
so that libraries and programs link nothing more. No target is given itself.
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
    "array": ["//array/core"],
    "array/core": [],
    "array/fft": _ARRAYS,
    "array/indexing": _ARRAYS + ["//array/indexing:index_check"],
    "array/io": [
        "//array:array_core",
        "//array/core",
        "//array/core:memory_errors",
        "//array/core:messages",
        "//array/io:load_limits",
    ],
    "array/linalg": _ARRAYS,
    "array/manipulation": _ARRAYS,
    "array/sorting": _ARRAYS,
    "array/statistics": _ARRAYS,
    "array/ufunc": ["//array/core", "//array/kernels"],
    "autograd": ["//array/core"],
    "autograd/function_hooks": [
        "//array/core",
        "//autograd:core",
        "//autograd/function_hooks:nested_calls",
    ],
    "caffe": _MODELS + [
        "//array/core:memory_errors",
        "//array/core:messages",
        "//caffe:net_proto",
        "@protobuf//:protobuf",
    ],
    "cuda": ["//array/core"],
    "cuda/emulation": ["//array/core", "//cuda/emulation:headers"],
    "dataset": _ARRAYS + ["//array/core:memory_errors"],
    "dataset/datasets": _ARRAYS + [
        "//array/core:memory_errors",
        "//array/io:load_limits",
    ],
    "examples": _MODELS,
    "functions": _VARIABLES,
    "functions/activation": _FUNCTIONS,
    "functions/array": _FUNCTIONS + ["//functions/internal:linear_map"],
    "functions/array/internal": _FUNCTIONS,
    "functions/connection": _FUNCTIONS,
    "functions/engines": _VARIABLES + ["//array/kernels"],
    "functions/evaluation": _FUNCTIONS,
    "functions/loss": _FUNCTIONS + [
        "//functions/loss/internal:reduce_option",
        "//functions/loss/internal:same_shape",
        "//functions/math:average",
        "//functions/math:operators",
        "//functions/math:sum",
    ],
    "functions/loss/internal": _FUNCTIONS,
    "functions/math": _FUNCTIONS,
    "functions/math/internal": _FUNCTIONS + ["//functions/array:reshape"],
    "functions/noise": _FUNCTIONS + ["//array/random"],
    "functions/noise/internal": _FUNCTIONS,
    "functions/normalization": _FUNCTIONS + ["//functions/math:operators"],
    "functions/normalization/internal": _FUNCTIONS,
    "functions/pooling": _FUNCTIONS + ["//functions:spatial"],
    "functions/rnn": _FUNCTIONS,
    "links": _MODELS,
    "links/connection": _MODELS + ["//links/initializers"],
    "links/initializers": _VARIABLES,
    "links/normalization": _MODELS + ["//links/initializers"],
    "optimizers": _MODELS,
    "serializers": [
        "//array:array_core",
        "//array:creation",
        "//array/core",
        "//array/core:memory_errors",
        "//serializers:serializer",
    ],
    "tests": ["//array/core"],
    "tests/benchmarks": [],
    "tests/support": ["//array/core", "@googletest//:gtest"],
    "tests/testing": ["//array/core", "@googletest//:gtest"],
    "training": _MODELS + ["//array/core:messages", "//links:reporter"],
    "training/communicators": _MODELS + ["//training/communicators:communicator"],
    "training/extensions": _MODELS + ["//links:reporter", "//training:trainer"],
}

# To a kernel_library: what says how kernels are defined.
GIVEN_TO_KERNELS = {"": ["//array/core", "//array/kernels"]}

# To the part of a kernel_library that is compiled for CUDA: what launches kernels.
GIVEN_TO_CUDA_SOURCES = {"": [
    "//cuda:device",
    "//cuda:device_memory",
    "//cuda:error",
    "//cuda:launch",
    "//cuda:launch_shape",
    "//cuda:record_params",
    "//cuda:stream",
]}

GIVEN_TO_CUDA_LIBRARIES = {
    "": ["//array/core"],
    "array/cuda": [
        "//array/core",
        "//cuda:device",
        "//cuda:launch",
        "//cuda:launch_shape",
    ],
    "cuda": ["//array/core", "//cuda:error"],
}

_ARRAY_TESTS = _ARRAYS + [
    "//array/random",
    "//tests/support:golden",
    "//tests/support:golden_device_test",
    "//tests/testing:array_matchers",
    "//tests/testing:device_test",
    "//tests/testing:error_of",
    "//tests/testing:temp_folder",
]

_VARIABLE_TESTS = _ARRAY_TESTS + [
    "//autograd:config",
    "//autograd:core",
    "//tests/testing:function_gradients",
]

_MODEL_TESTS = _VARIABLE_TESTS + ["//links:link"]

_TRAINING_TESTS = _MODEL_TESTS + [
    "//dataset/datasets:tuple_dataset",
    "//dataset/iterators:serial_iterator",
    "//functions/math:operators",
    "//functions/math:sum",
    "//functions/noise:dropout",
    "//links:reporter",
    "//links/connection:linear",
    "//optimizers:sgd",
    "//serializers:npz",
    "//training/testing:scripted_training",
    "//training/testing:step_runs",
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
    "array/indexing": _ARRAY_TESTS + ["//array/indexing/testing:index_reference"],
    "array/io": _ARRAY_TESTS + ["//array/io:npz", "//tests/support:runfiles"],
    "array/linalg": _ARRAY_TESTS + ["//array/linalg:matmul"],
    "autograd": _VARIABLE_TESTS + [
        "//autograd:parameter",
        "//autograd/testing:live_objects",
        "//autograd/testing:simple_functions",
    ],
    "caffe": _MODEL_TESTS + [
        "//array/io:npz",
        "//caffe:caffe_function",
        "//caffe/testing:net_builder",
    ],
    "cuda/emulation": [
        "//cuda/emulation:device_code",
        "//cuda/emulation:library_test",
        "//cuda/emulation:runtime",
    ],
    "dataset": _ARRAY_TESTS,
    "docs": _MODEL_TESTS,
    "examples": _PROGRAM_TESTS,
    "functions": _VARIABLE_TESTS + ["//functions/math:operators"],
    "links": _MODEL_TESTS + [
        "//links/connection:linear",
        "//links/testing:golden_link",
    ],
    "optimizers": _MODEL_TESTS + ["//optimizers"],
    "serializers": _MODEL_TESTS + ["//serializers/testing:reference_model"],
    "tests": _ARRAY_TESTS,
    "tests/faults": [
        "//array/core",
        "//tests/faults:bits",
        "//tests/faults:fault_matrix",
        "//tests/testing:temp_folder",
    ],
    "tests/host_waits": _ARRAY_TESTS + ["//cuda/emulation:runtime"],
    "tests/numbers": _ARRAY_TESTS + ["//array"],
    "training": _TRAINING_TESTS,
}

# To a gpu_test, besides.
GIVEN_TO_GPU_TESTS = {"": [
    "//array/core",
    "//cuda:device",
    "//cuda:error",
    "//cuda:stream",
    "//cuda/testing:gpu_test",
]}

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

# To a fuzz_binary: what catches errors.
GIVEN_TO_FUZZERS = {"": ["//array/core"]}

def given(table, package):
    """The dependencies that a table gives to the targets of a package."""
    best = ""
    for folder in table:
        if (package + "/").startswith(folder + "/") and len(folder) > len(best):
            best = folder
    return table.get(best, [])

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
