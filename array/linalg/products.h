#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>

#include "catena/array/array.h"

// Products of vectors and matrices with NumPy's names; see also matmul.h and
// einsum.h. All promote their operands and throw DeviceError unless they are on
// one device, ShapeError naming the shapes when these do not match, and the
// errors of OutOption (array.h) for an unsuitable `out`. Results may be
// non-contiguous.
namespace catena::array {

// The dot product of the flattened arrays, a 0-d array.
Array vdot(const Array& a, const Array& b);

// Sums of products over the last axis of both: (a..., k) by (b..., k) gives
// (a..., b...). A 0-d operand multiplies elementwise.
Array inner(const Array& a, const Array& b);

// out_ij = a_i b_j for the flattened arrays.
Array outer(const Array& a, const Array& b, const OutOption& options = {});

// Sums of products over the last `axes` axes of a and the first `axes` axes of
// b; 0 gives the tensor product. Throws ValueError when negative.
Array tensordot(const Array& a, const Array& b, int64_t axes = 2,
                const OutOption& options = {});
// Sums over the given axes; a's other axes, then b's, remain. Throws IndexError
// for an axis out of range, ValueError for a repeated one or lists of different
// length.
Array tensordot(const Array& a, const Array& b, const Axes& a_axes,
                const Axes& b_axes, const OutOption& options = {});

// The Kronecker product: blocks of each element of a times b. The shorter shape
// is prepended with ones. Throws ShapeError for more than four axes.
Array kron(const Array& a, const Array& b);

struct CrossOptions {
  NamedFieldsOnly keywords = {};
  int64_t axisa = -1;  // the axes of the vectors in a, b and the result
  int64_t axisb = -1;
  int64_t axisc = -1;
  std::optional<int64_t> axis = std::nullopt;  // overrides all three
};
// The cross product of vectors of 2 or 3 components (a missing third one is 0);
// for two vectors of 2 components only the third of the result, without an
// axis. The other axes broadcast.
Array cross(const Array& a, const Array& b, const CrossOptions& options = {});

namespace linalg {

// The product of two or more matrices, parenthesized to need the fewest
// multiplications. The first may be a 1-d row, the last a 1-d column, whose
// axis the result lacks. Throws ValueError for fewer than two.
Array multi_dot(std::span<const Array> arrays);
inline Array multi_dot(std::initializer_list<Array> arrays) {
  return multi_dot(std::span(arrays.begin(), arrays.size()));
}

}  // namespace linalg
}  // namespace catena::array
