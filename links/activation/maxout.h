#pragma once

#include <cstdint>
#include <optional>

#include "catena/links/chain.h"
#include "catena/links/connection/linear.h"
#include "catena/links/initializers/initializers.h"

namespace catena::links {

struct MaxoutOptions {
  NamedFieldsOnly keywords = {};
  Initializer initialW = initializers::LeCunNormal();
  // nullopt for no bias.
  std::optional<Initializer> initial_bias = Initializer(0.0);
};

// A fully connected layer whose outputs are each the maximum of pool_size
// affine functions of x (Goodfellow et al., 2013).
class Maxout : public Chain<Maxout> {
 public:
  using Options = MaxoutOptions;

  // Without in_size, weights are initialized at the first call. Throws
  // ValueError when a size is not positive.
  Maxout(std::optional<int64_t> in_size, int64_t out_size, int64_t pool_size,
         const MaxoutOptions& options = {});

  // x is (N, ...), whose axes after the first are flattened to in_size; y is
  // (N, out_size).
  Variable forward(const Variable& x);

  Child<Linear> linear;  // with out_size * pool_size outputs

 private:
  int64_t pool_size_;
};

}  // namespace catena::links
