#pragma once

#include <map>
#include <vector>

#include "catena/functions/plan/internal/product_groups.h"
#include "catena/functions/plan/internal/trace.h"
#include "catena/functions/plan/plan_options.h"

namespace catena::functions {

// A traced graph call by call, as eagerly, but for convolutions: batch
// normalization by fixed statistics is folded into their weights, and bias, the
// addition of a residual and relu are computed with them, by cuDNN in one pass.
class FusedCalls {
 public:
  // The graph must outlive this. `folds_once`: weights are folded now, else in
  // each run.
  FusedCalls(const TracedGraph& graph, bool folds_once);

  // Whether there is no such convolution.
  bool empty() const { return fused_.empty(); }

  // Returns the graph's outputs for its inputs.
  std::vector<Array> run(const std::vector<Array>& inputs) const;
  std::vector<PlanStep> steps() const;

 private:
  // Weights and bias of a convolution.
  struct Weights {
    Array W;
    Array b;  // undefined without one
  };

  struct Fused {
    Weights weights;  // undefined if not folded once
    Array zeros;      // the bias of cuDNN's call where there is none
  };

  // The group that is computed where its last call is, or null.
  const ProductGroup* fused(int call) const;
  Weights folded(const ProductGroup& group) const;
  void run_group(const ProductGroup& group, std::vector<Array>& arrays) const;

  const TracedGraph& graph_;
  ProductGroups groups_;
  std::map<int, Fused> fused_;              // by the group's first call
  std::vector<std::vector<int>> released_;  // values, by call
};

}  // namespace catena::functions
