#pragma once

#include <cstdint>
#include <optional>

#include "catena/functions/connection/linear.h"
#include "catena/links/call_link.h"
#include "catena/links/initializers/initializers.h"
#include "catena/links/link.h"

namespace catena::links {

struct LinearOptions {
  NamedFieldsOnly keywords = {};
  bool nobias = false;
  Initializer initialW = initializers::LeCunNormal();
  Initializer initial_bias = initializers::Constant(0);
};

// A fully connected layer, y = x W^T + b.
class Linear : public Link {
 public:
  using Options = LinearOptions;

  // Without in_size, W is initialized at the first call from x's shape. Throws
  // ValueError when a size is not positive.
  explicit Linear(int64_t out_size, const LinearOptions& options = {});
  Linear(std::optional<int64_t> in_size, int64_t out_size,
         const LinearOptions& options = {});

  // The axes of x from n_batch_axes on are flattened to in_size; y keeps the
  // others: (N, ...) gives (N, out_size), and with {.n_batch_axes = 2} (N, M,
  // ...) gives (N, M, out_size). Throws InvalidType when sizes do not match.
  Variable forward(const Variable& x,
                   const functions::LinearOptions& options = {});
  Variable operator()(const Variable& x,
                      const functions::LinearOptions& options = {}) {
    return call_link(*this, x, options);
  }

  Param W;  // (out_size, in_size)
  Param b;  // (out_size,); absent with nobias

 private:
  int64_t out_size_;
};

}  // namespace catena::links
