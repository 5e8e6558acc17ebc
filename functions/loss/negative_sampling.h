#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "catena/autograd/variable.h"

namespace catena::functions {

// Gives integers of a shape, each the number of a word that is drawn at random;
// on the device of x. array::random::WalkerAlias::sample does it.
using Sampler = std::function<Array(const Shape& shape)>;

struct NegativeSamplingOptions {
  // "sum" over the batch, or "no" for the loss of each row.
  std::string_view reduce = "sum";
};

// Tells the right word from sample_size random ones instead of from all others
// (T. Mikolov et al., 2013):
//
//   loss[i] = -log sigmoid(x[i] . W[t[i]])
//             - sum over samples s of log sigmoid(-x[i] . W[s])
//
// x is (N, D), W (V, D), floating and of one dtype; t (N,) integers from 0 to
// V - 1, or -1 for rows that do not count. The sampler is called once, with
// (N, sample_size + 1); its first column is not used. InvalidType when dtypes
// or shapes do not fit. ValueError for a label or sample out of range, which is
// named, a negative sample_size, and another `reduce`.
Variable negative_sampling(const Variable& x, const Variable& t,
                           const Variable& W, const Sampler& sampler,
                           int64_t sample_size,
                           const NegativeSamplingOptions& options = {});
Variable negative_sampling(const Variable& x, const Array& t, const Variable& W,
                           const Sampler& sampler, int64_t sample_size,
                           const NegativeSamplingOptions& options = {});

}  // namespace catena::functions
