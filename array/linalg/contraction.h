#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "catena/array/array.h"

// Products of two arrays summed over common axes, on which tensordot and einsum
// stand.
namespace catena::array {

// An array whose axes bear labels, small numbers that are each used once. Axes
// of two arrays with one label have one extent.
struct Labelled {
  Array array;
  std::vector<int> labels;

  int axis_of(int label) const;  // -1 when there is none
};

// sum_k a_(..k..) b_(..k..) over the labels that are not in `kept`; every label
// that only one of the two has must be in it. The labels of the result are
// those kept, in an order that costs no pass over memory: by matrix products
// where there is something to sum over, else elementwise. Both arrays have one
// dtype, which the result has too, and one device. ShapeError naming
// `operation` when the result would have too many axes.
Labelled contract(std::string_view operation, Labelled a, Labelled b,
                  const std::vector<int>& kept);

// The view with its axes in the order of `labels`. It has all of them.
Array arrange(const Labelled& x, const std::vector<int>& labels);

// sum of `a` over axes, in its own dtype (bool: "or").
Array sum_as_is(const Array& a, const Axes& axes);

}  // namespace catena::array
