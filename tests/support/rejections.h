#pragma once

#include <functional>
#include <string>
#include <vector>

#include "catena/autograd/variable.h"

// Tables of calls that type checks reject.
namespace catena::testing {

struct Rejection {
  std::string expected;  // what the message says is expected
  std::function<void()> call;
};

// That each call throws InvalidType with "Expect: <expected>" as a line.
void check_rejections(const std::vector<Rejection>& rejections);

// Zeros as arguments of such calls.
Array integers(const Shape& shape);
Variable i32(const Shape& shape);
Variable f32(const Shape& shape);
Variable f64(const Shape& shape);

}  // namespace catena::testing
