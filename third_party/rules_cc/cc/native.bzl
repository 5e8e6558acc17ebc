"""Built-in names, under others that a file may export again."""

native_cc_common = cc_common
native_cc_info = CcInfo
