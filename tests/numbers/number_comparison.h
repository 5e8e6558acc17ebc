#pragma once

#include <cstdint>
#include <string>

#include "catena/array/array.h"

// A stricter comparison than that of array_matchers.h.
namespace catena::testing {

struct Closeness {
  // How many floats of its dtype a number may be away from the expected one.
  int64_t ulps = 0;
  // Whether 0 may be -0, and -0 may be 0.
  bool any_zero = false;
};

// How an array differs from the expected one: "" if it has the same dtype and
// shape, NaN exactly where that has NaN, zeros of the same sign, and numbers
// within the given closeness.
std::string difference(const Array& actual, const Array& expected,
                       const Closeness& closeness = {});

}  // namespace catena::testing
