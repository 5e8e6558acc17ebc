#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>

#include "catena/array/array.h"

// Products of vectors and matrices beside matmul (matmul.h) and einsum
// (einsum.h), with NumPy's names. All promote their operands, throw DeviceError
// unless they are on one device, and ShapeError, naming the shapes, when they
// do not match. Results may be views whose axes do not lie in memory in their
// order.
namespace catena::array {

// The sum of products of all elements, both arrays flattened; a 0-d array.
Array vdot(const Array& a, const Array& b);

// Sums of products over the last axis of both: (a..., k) by (b..., k) gives
// (a..., b...). An operand without axes multiplies elementwise.
Array inner(const Array& a, const Array& b);

// out_ij = a_i b_j of both arrays flattened.
Array outer(const Array& a, const Array& b);

// Sums of products over the last `axes` axes of a and the first of b, matched
// in their order; with 0 every product of two elements. ValueError when
// negative.
Array tensordot(const Array& a, const Array& b, int64_t axes = 2);
// The same over axes named for each: a's other axes, then b's, remain.
// IndexError for one out of range, ValueError for one named twice or lists that
// differ in length.
Array tensordot(const Array& a, const Array& b, const Axes& a_axes,
                const Axes& b_axes);

// The Kronecker product: every element of a times b, in blocks. Shapes are
// filled up with 1 in front; ShapeError for more than four axes.
Array kron(const Array& a, const Array& b);

struct CrossOptions {
  int64_t axisa = -1;  // where the vectors lie in a, in b and in the result
  int64_t axisb = -1;
  int64_t axisc = -1;
  std::optional<int64_t> axis = std::nullopt;  // all three
};
// The cross product of vectors of 2 or 3 components (a missing third one is 0);
// of two of 2 components only the third of the result, without an axis. The
// other axes broadcast.
Array cross(const Array& a, const Array& b, const CrossOptions& options = {});

namespace linalg {

// The product of two or more matrices in the order of brackets that takes the
// fewest multiplications. The first may be a row, the last a column of one
// axis, which the result then lacks. ValueError for fewer than two.
Array multi_dot(std::span<const Array> arrays);
inline Array multi_dot(std::initializer_list<Array> arrays) {
  return multi_dot(std::span(arrays.begin(), arrays.size()));
}

}  // namespace linalg
}  // namespace catena::array
