#pragma once

#include <cstdint>
#include <vector>

#include "catena/array/random/sampling.h"
#include "catena/links/call_link.h"
#include "catena/links/initializers/initializers.h"
#include "catena/links/link.h"

namespace catena::links {

struct BlackOutOptions {
  NamedFieldsOnly keywords = {};
  Initializer initialW = initializers::LeCunNormal();
};

// The BlackOut loss (functions::black_out) with weights, and samples drawn by
// word frequency.
class BlackOut : public Callable<BlackOut> {
 public:
  using Options = BlackOutOptions;

  // counts[w] is the number of occurrences of word w. Throws ValueError unless
  // sizes are positive, counts nonnegative and at least one count is positive.
  BlackOut(int64_t in_size, const std::vector<int64_t>& counts,
           int64_t sample_size, const BlackOutOptions& options = {});

  // The mean loss for x (N, in_size) and words t (N,).
  Variable forward(const Variable& x, const Variable& t);

  Param W;  // (words, in_size)
  // If defined, the samples (N, sample_size) to use instead of random ones.
  Array sample_data;

 private:
  int64_t sample_size_;
  array::random::WalkerAlias sampler_;
};

}  // namespace catena::links
