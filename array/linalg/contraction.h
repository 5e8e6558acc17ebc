#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "catena/array/array.h"

// Products of two arrays summed over common axes, the basis of tensordot and
// einsum.
namespace catena::array {

// An array with labelled axes; labels are distinct small integers. Axes of two
// arrays with the same label have the same extent.
struct Labelled {
  Array array;
  std::vector<int> labels;

  int axis_of(int label) const;  // -1 if there is none
};

// The extents of the labels, which a or b has. Throws ShapeError naming
// `operation` when they are too many for an array.
Shape shape_along(std::string_view operation, const Labelled& a,
                  const Labelled& b, const std::vector<int>& labels);

// sum_k a_(..k..) b_(..k..) over the labels not in `kept`, which must contain
// every label that only one of the two has. Uses matrix products if there is a
// sum, else an elementwise product. The result has the kept labels, in an order
// that needs no transposition. Both arrays must have the same dtype, which is
// that of the result, and the same device. Throws ShapeError naming `operation`
// when the result would have too many axes.
Labelled contract(std::string_view operation, Labelled a, Labelled b,
                  const std::vector<int>& kept);

// A view with its axes in the order of `labels`, a permutation of x's.
Array arrange(const Labelled& x, const std::vector<int>& labels);

// The sum of `a` over axes, in its own dtype (logical or for bool).
Array sum_as_is(const Array& a, const Axes& axes);

}  // namespace catena::array
