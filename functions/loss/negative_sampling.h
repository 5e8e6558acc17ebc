#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "catena/autograd/variable.h"

namespace catena::functions {

// Draws random word indices, integers of the given shape, on x's device; e.g.
// array::random::WalkerAlias::sample.
using Sampler = std::function<Array(const Shape& shape)>;

struct NegativeSamplingOptions {
  NamedFieldsOnly keywords = {};
  // "sum" over the batch, or "no" for the loss of each row.
  std::string_view reduce = "sum";
};

// The negative sampling loss, which discriminates the correct word from
// sample_size random words instead of from all others (T. Mikolov et al.,
// 2013):
//
//   loss[i] = -log sigmoid(x[i] . W[t[i]])
//             - sum over samples s of log sigmoid(-x[i] . W[s])
//
// x is (N, D), W (V, D), of the same floating dtype; t (N,) integers from 0 to
// V - 1, or -1 for rows to ignore. The sampler is called once, with (N,
// sample_size + 1); its first column is not used. Throws InvalidType when
// dtypes or shapes do not match, ValueError for a label or sample out of range,
// which the message names, a negative sample_size, and an unknown `reduce`.
Variable negative_sampling(const Variable& x, const Variable& t,
                           const Variable& W, const Sampler& sampler,
                           int64_t sample_size,
                           const NegativeSamplingOptions& options = {});
Variable negative_sampling(const Variable& x, const Array& t, const Variable& W,
                           const Sampler& sampler, int64_t sample_size,
                           const NegativeSamplingOptions& options = {});

}  // namespace catena::functions
