#pragma once

#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "catena/autograd/variable.h"

// Linear-chain conditional random fields (J. Lafferty et al., 2001). Sequences
// are given step by step, sorted by descending length: xs[i] is (B_i, K),
// floating, the costs of the K labels at step i of the B_i sequences that are
// long enough; cost is (K, K), where cost[s, t] is the cost of label t after s.
// Costs are summed, and higher costs are more likely. Throws InvalidType when
// dtypes or shapes do not match, there are no steps or B_i increases.
namespace catena::functions {

struct Crf1dOptions {
  NamedFieldsOnly keywords = {};
  // "mean" over the sequences, or "no" for the loss of each.
  std::string_view reduce = "mean";
};

// The negative log-likelihood of labels ys[i] (B_i,), integers in [0, K), under
// a linear-chain CRF: the log of the sum of exp(cost) over all label sequences,
// minus the cost of ys. Throws ValueError for a label out of range, which the
// message names, and for an unknown `reduce`.
Variable crf1d(const Variable& cost, std::span<const Variable> xs,
               std::span<const Variable> ys, const Crf1dOptions& options = {});
Variable crf1d(const Variable& cost, std::span<const Variable> xs,
               std::span<const Array> ys, const Crf1dOptions& options = {});

// The costs (B_0,) of the most likely label sequences, and their labels, int32
// (B_i,) for each step (A. Viterbi, 1967). No gradient.
std::pair<Variable, std::vector<Array>> argmax_crf1d(
    const Variable& cost, std::span<const Variable> xs);

}  // namespace catena::functions
