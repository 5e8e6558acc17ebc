#pragma once

#include <exception>
#include <string>
#include <typeinfo>

#include "absl/functional/function_ref.h"
#include "catena/array/core/source_location.h"

namespace catena::testing {
namespace internal {

// Fails the test: a call threw nothing, or `thrown`.
void expect_error(const std::type_info& expected, const std::exception* thrown,
                  const SourceLocation& where);

}  // namespace internal

// What the E that a call throws says, to be matched as text:
//
//   EXPECT_THAT(error_of<ShapeError>([&] { dot(a, b); }), HasSubstr("(2, 3)"));
//
// Fails the test, and returns "", when the call throws nothing or another
// exception. In contrast to ThrowsMessage<E>, it compiles at once: what
// GoogleTest needs to match and print a value is not made for each lambda.
template <class E>
std::string error_of(absl::FunctionRef<void()> call,
                     const SourceLocation& where = SourceLocation::current()) {
  try {
    call();
  } catch (const E& error) {
    return error.what();
  } catch (const std::exception& other) {
    internal::expect_error(typeid(E), &other, where);
    return "";
  }
  internal::expect_error(typeid(E), nullptr, where);
  return "";
}

}  // namespace catena::testing
