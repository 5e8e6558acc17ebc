#pragma once

#include "catena/array/array.h"

// Elementwise functions with NumPy's names, broadcasting and dtype rules. An
// argument is an array or a C++ number; at least one is an array, else the
// result is a 0-d array on the current device. Numbers are weak (scalar.h).
//
// All throw ShapeError when shapes do not broadcast, DeviceError for operands
// on different devices, DtypeError when a ufunc is not offered for a dtype or
// an integer dtype cannot hold a number.
namespace catena::array {

// Arithmetic. Integers wrap round; bool add and multiply are or and and.
Array add(const Operand& a, const Operand& b);
Array subtract(const Operand& a, const Operand& b);  // not offered for bool
Array multiply(const Operand& a, const Operand& b);
// a b + c in one pass over memory, which NumPy lacks.
Array multiply_add(const Operand& a, const Operand& b, const Operand& c);
// Integers and bool give float64.
Array true_divide(const Operand& a, const Operand& b);
// Rounded down and the remainder to it, of b's sign. Bool gives int8; integers
// by 0 give 0.
Array floor_divide(const Operand& a, const Operand& b);
Array remainder(const Operand& a, const Operand& b);
// a to the b-th. Bool gives int8. ValueError for a negative integer number as
// exponent of integers.
Array power(const Operand& a, const Operand& b);
Array negative(const Operand& x);
Array absolute(const Operand& x);
inline Array abs(const Operand& x) { return absolute(x); }
Array sign(const Operand& x);  // -1, 0, 1, NaN; not offered for bool
Array square(const Operand& x);

// The larger or smaller; NaN when either is NaN.
Array maximum(const Operand& a, const Operand& b);
Array minimum(const Operand& a, const Operand& b);

// Exponentials; integers give the float that holds them (int8 float16, int16
// float32, wider ones float64). On the CPU within 4 ULP of the true value.
Array exp(const Operand& x);
Array log(const Operand& x);
Array log1p(const Operand& x);  // log(1 + x), accurate near 0
Array sqrt(const Operand& x);
Array tanh(const Operand& x);
Array sigmoid(const Operand& x);  // 1 / (1 + exp(-x))
Array relu(const Operand& x);     // max(x, 0)

// Comparisons and logic; the results are bool.
Array equal(const Operand& a, const Operand& b);
Array not_equal(const Operand& a, const Operand& b);
Array less(const Operand& a, const Operand& b);
Array less_equal(const Operand& a, const Operand& b);
Array greater(const Operand& a, const Operand& b);
Array greater_equal(const Operand& a, const Operand& b);
Array logical_and(const Operand& a, const Operand& b);
Array logical_or(const Operand& a, const Operand& b);
Array logical_xor(const Operand& a, const Operand& b);
Array logical_not(const Operand& x);
Array isnan(const Operand& x);
Array isfinite(const Operand& x);

// if_true where condition (bool) holds, else if_false, all broadcast.
Array where(const Array& condition, const Operand& if_true,
            const Operand& if_false);

}  // namespace catena::array
