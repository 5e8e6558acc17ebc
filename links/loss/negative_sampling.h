#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "catena/array/random/sampling.h"
#include "catena/functions/loss/negative_sampling.h"
#include "catena/links/call_link.h"
#include "catena/links/link.h"

namespace catena::links {

using functions::NegativeSamplingOptions;

// The negative sampling loss (functions::negative_sampling) with weights, and
// samples drawn by word frequency.
class NegativeSampling : public Link {
 public:
  // counts[w] is the number of occurrences of word w, which is drawn with
  // probability proportional to counts[w]^power. Throws ValueError unless sizes
  // are positive, counts nonnegative and at least one count is positive.
  NegativeSampling(int64_t in_size, const std::vector<int64_t>& counts,
                   int64_t sample_size, double power = 0.75);

  // x is (N, in_size), t (N,): words, or -1 for rows to ignore.
  Variable forward(const Variable& x, const Variable& t,
                   const NegativeSamplingOptions& options = {});
  Variable operator()(const Variable& x, const Variable& t,
                      const NegativeSamplingOptions& options = {}) {
    return call_link(*this, x, t, options);
  }

  Param W;  // (words, in_size), initially 0

 private:
  int64_t sample_size_;
  array::random::WalkerAlias sampler_;
};

}  // namespace catena::links
