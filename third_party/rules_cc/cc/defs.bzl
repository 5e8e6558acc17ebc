"""C++ rules and providers under the names of rules_cc."""

load(":native.bzl", "native_cc_common", "native_cc_info")

CcInfo = native_cc_info
cc_binary = native.cc_binary
cc_common = native_cc_common
cc_import = native.cc_import
cc_library = native.cc_library
cc_proto_library = native.cc_proto_library
cc_test = native.cc_test
cc_toolchain = native.cc_toolchain
cc_toolchain_suite = native.cc_toolchain_suite
objc_import = native.objc_import
objc_library = native.objc_library
