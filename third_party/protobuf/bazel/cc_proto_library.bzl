"""C++ code of a proto_library."""

cc_proto_library = getattr(native, "cc_proto_library", None)
