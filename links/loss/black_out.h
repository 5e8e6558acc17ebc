#pragma once

#include <cstdint>
#include <vector>

#include "catena/array/sampling.h"
#include "catena/links/call_link.h"
#include "catena/links/initializers/initializers.h"
#include "catena/links/link.h"

namespace catena::links {

struct BlackOutOptions {
  Initializer initialW = initializers::LeCunNormal();
};

// functions::black_out with weights, and samples drawn by how often words
// occur.
class BlackOut : public Link {
 public:
  // counts[w] is how often word w occurs. ValueError when a size is not
  // positive, and unless no count is negative and one is positive.
  BlackOut(int64_t in_size, const std::vector<int64_t>& counts,
           int64_t sample_size, const BlackOutOptions& options = {});

  // The mean loss of x (N, in_size) and words t (N,).
  Variable forward(const Variable& x, const Variable& t);
  Variable operator()(const Variable& x, const Variable& t) {
    return call_link(*this, x, t);
  }

  Param W;  // (words, in_size)
  // Where it is defined, the samples (N, sample_size) instead of random ones.
  Array sample_data;

 private:
  int64_t sample_size_;
  array::random::WalkerAlias sampler_;
};

}  // namespace catena::links
