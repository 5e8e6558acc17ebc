#pragma once

#include <utility>
#include <vector>

#include "catena/links/chain.h"

namespace catena {

// Chainer 1.3's container of links, for ported programs; new code derives from
// Chain. Links are added by name:
//
//   FunctionSet model;
//   model.add_link("l1", L::Linear(784, 100));
//   Variable h = call_link(dynamic_cast<L::Linear&>(model["l1"]), x);
//
// Lists of arrays are in the order of params(), without uninitialized
// parameters.
class FunctionSet : public ChainBase {
 public:
  FunctionSet() = default;

  // The parameters' arrays, and their gradients, undefined where there is none.
  std::vector<Array> parameters() const;
  std::vector<Array> gradients() const;
  // Parameters and gradients.
  std::pair<std::vector<Array>, std::vector<Array>> collect_parameters() const;

  // Copies elements into the parameters' memory. Throws ValueError for a wrong
  // number of arrays, ShapeError for a wrong shape, before copying anything.
  void copy_parameters_from(const std::vector<Array>& arrays) const;
};

}  // namespace catena
