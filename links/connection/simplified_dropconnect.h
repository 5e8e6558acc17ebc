#pragma once

#include <cstdint>
#include <optional>

#include "catena/links/call_link.h"
#include "catena/links/initializers/initializers.h"
#include "catena/links/link.h"

namespace catena::links {

struct SimplifiedDropconnectOptions {
  NamedFieldsOnly keywords = {};
  // The probability that a weight is dropped.
  double ratio = 0.5;
  bool nobias = false;
  Initializer initialW = initializers::LeCunNormal();
  Initializer initial_bias = 0.0;
};

// Options of a single call; see functions::SimplifiedDropconnectOptions.
struct SimplifiedDropconnectCall {
  bool train = true;
  Array mask = {};
  bool use_batchwise_mask = true;
};

// A fully connected layer whose weights are dropped at random
// (functions::simplified_dropconnect).
class SimplifiedDropconnect : public Link {
 public:
  using Options = SimplifiedDropconnectOptions;

  // Without in_size, W is initialized at the first call from x's shape. Throws
  // ValueError when a size is not positive or ratio is not in [0, 1).
  SimplifiedDropconnect(std::optional<int64_t> in_size, int64_t out_size,
                        const SimplifiedDropconnectOptions& options = {});

  // x is (N, ...), whose axes after the first are flattened to in_size; y is
  // (N, out_size).
  Variable forward(const Variable& x,
                   const SimplifiedDropconnectCall& call = {});
  Variable operator()(const Variable& x,
                      const SimplifiedDropconnectCall& call = {}) {
    return call_link(*this, x, call);
  }

  Param W;  // (out_size, in_size)
  Param b;  // (out_size,); absent with nobias

 private:
  int64_t out_size_;
  double ratio_;
};

}  // namespace catena::links
