#include "catena/tests/testing/error_of.h"

#include <gtest/gtest.h>

#include "catena/autograd/class_name.h"

namespace catena::testing::internal {

void expect_error(const std::type_info& expected, const std::exception* thrown,
                  const SourceLocation& where) {
  ADD_FAILURE_AT(where.file_name(), static_cast<int>(where.line()))
      << "expected a " << qualified_class_name(expected) << ", got "
      << (thrown == nullptr ? "no exception"
                            : "a " + qualified_class_name(typeid(*thrown)) +
                                  ": " + thrown->what());
}

}  // namespace catena::testing::internal
