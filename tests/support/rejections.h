#pragma once

#include <functional>
#include <string>
#include <vector>

#include "catena/autograd/variable.h"

// Tables of calls that must fail type checks.
namespace catena::testing {

struct Rejection {
  std::string expected;  // the expectation in the message
  std::function<void()> call;
};

// Expects each call to throw InvalidType with a line "Expect: <expected>".
void check_rejections(const std::vector<Rejection>& rejections);

// Zeros, as arguments of such calls.
Array integers(const Shape& shape);
Variable i32(const Shape& shape);
Variable f32(const Shape& shape);
Variable f64(const Shape& shape);

}  // namespace catena::testing
