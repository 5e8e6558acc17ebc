#pragma once

#include <string_view>

#include "absl/functional/function_ref.h"
#include "catena/array/random/random.h"
#include "catena/autograd/type_check.h"
#include "catena/autograd/variable.h"
#include "catena/functions/internal/named_variable.h"

namespace catena::functions {

struct NamedArray {
  std::string_view name;
  const Array& array;
};

// The random array of a function: `given`, or if undefined, drawn by `draw`
// with the generator of x's device. Also stored in *returned unless null.
// Throws InvalidType naming `function` unless x is floating and `given` has its
// shape, dtype and device.
Array given_or_drawn(
    std::string_view function, const NamedVariable& x, const NamedArray& given,
    Array* returned,
    absl::FunctionRef<Array(array::random::Generator& generator)> draw);

// Throws InvalidType unless both have the same shape and dtype.
void expect_same_shape(std::string_view function, const NamedVariable& x,
                       const NamedVariable& y);

// Just the check of `given`, for nodes.
void expect_like(const TypeCheck& in, const NamedArray& given,
                 std::string_view name_of_x, const Array& x);

}  // namespace catena::functions
