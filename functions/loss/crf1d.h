#pragma once

#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "catena/autograd/variable.h"

// Linear-chain conditional random fields (J. Lafferty et al., 2001). Sequences
// are given over time, the longest first: xs[i] is (B_i, K), the costs of the K
// labels at place i of the B_i sequences that are so long, floating; cost is
// (K, K), cost[s, t] that of label t after s. Costs are added up, and large
// ones are likely. InvalidType when dtypes or shapes do not fit, there is no
// place or B_i rises.
namespace catena::functions {

struct Crf1dOptions {
  // "mean" over the sequences, or "no" for the loss of each.
  std::string_view reduce = "mean";
};

// -log of the probability of the labels, ys[i] (B_i,), integers in [0, K):
// log of the sum over all label sequences of exp(their costs), less the costs
// of ys. ValueError for a label out of range, which is named, and for another
// `reduce`.
Variable crf1d(const Variable& cost, std::span<const Variable> xs,
               std::span<const Variable> ys, const Crf1dOptions& options = {});
Variable crf1d(const Variable& cost, std::span<const Variable> xs,
               std::span<const Array> ys, const Crf1dOptions& options = {});

// The costs (B_0,) of the likeliest labels, and these, int32 (B_i,) for each
// place (A. Viterbi, 1967). No gradient.
std::pair<Variable, std::vector<Array>> argmax_crf1d(
    const Variable& cost, std::span<const Variable> xs);

}  // namespace catena::functions
