#include "catena/tests/testing/error_of.h"

#include <cxxabi.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>

namespace catena::testing::internal {
namespace {

std::string name_of(const std::type_info& type) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(type.name(), nullptr, nullptr, &status), std::free);
  return name ? name.get() : type.name();
}

}  // namespace

void expect_error(const std::type_info& expected, const std::exception* thrown,
                  const SourceLocation& where) {
  ADD_FAILURE_AT(where.file_name(), static_cast<int>(where.line()))
      << "expected a " << name_of(expected) << ", got "
      << (thrown == nullptr
              ? "no exception"
              : "a " + name_of(typeid(*thrown)) + ": " + thrown->what());
}

}  // namespace catena::testing::internal
