#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "catena/functions/internal/window.h"
#include "catena/functions/plan/internal/trace.h"

namespace catena::functions {

// A product (convolution or linear) by weights of one dtype, with the calls
// that one pass computes with it: batch normalization by fixed statistics, the
// addition of a residual, relu.
struct ProductGroup {
  int product = -1;  // calls
  int normalization = -1;
  int addition = -1;
  int relu = -1;
  int tail = -1;
  int result = -1;    // value
  int residual = -1;  // value
  bool is_convolution = false;

  // In the order of computation; -1 for what there is not.
  std::array<int, 4> calls() const {
    return {product, normalization, addition, relu};
  }
};

// The groups of a graph whose products, and whose normalizations' parameters,
// have one of some dtypes.
class ProductGroups {
 public:
  ProductGroups(const TracedGraph& graph, std::span<const Dtype> dtypes);

  // The group that a call belongs to, or null.
  const ProductGroup* of(int call) const {
    return number_of_[call] < 0 ? nullptr : &groups_[number_of_[call]];
  }

 private:
  std::vector<int> number_of_;  // by call
  std::vector<ProductGroup> groups_;
};

// "convolution_2d + fixed_batch_normalization + relu"
std::string name_of(const TracedGraph& graph, const ProductGroup& group);

// The window of a convolution.
Window window_of(const TracedGraph& graph, const TracedCall& convolution);

}  // namespace catena::functions
