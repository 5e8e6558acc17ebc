#pragma once

#include <utility>
#include <vector>

#include "catena/links/chain.h"

namespace catena {

// A container of Chainer 1.3, kept for programs that come from there; others
// derive from Chain. Its links are added by name:
//
//   FunctionSet model;
//   model.add_link("l1", L::Linear(784, 100));
//   Variable h = call_link(dynamic_cast<L::Linear&>(model["l1"]), x);
//
// Lists of arrays are in the order of params(); parameters without a shape are
// left out.
class FunctionSet : public Chain {
 public:
  FunctionSet() = default;

  // The arrays of the parameters, and of their gradients; undefined where there
  // is none.
  std::vector<Array> parameters() const;
  std::vector<Array> gradients() const;
  // Both.
  std::pair<std::vector<Array>, std::vector<Array>> collect_parameters() const;

  // Copies elements into the parameters, which keep their memory. ValueError
  // for another number of arrays, ShapeError for another shape; then nothing
  // has been copied.
  void copy_parameters_from(const std::vector<Array>& arrays) const;
};

}  // namespace catena
