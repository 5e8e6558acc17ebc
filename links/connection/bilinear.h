#pragma once

#include <cstdint>

#include "catena/links/call_link.h"
#include "catena/links/initializers/initializers.h"
#include "catena/links/link.h"

namespace catena::links {

struct BilinearOptions {
  NamedFieldsOnly keywords = {};
  // Omits V1, V2 and b.
  bool nobias = false;
  Initializer initialW = initializers::LeCunNormal();
  // Chainer takes these three as one tuple, initial_bias.
  Initializer initialV1 = initializers::LeCunNormal();
  Initializer initialV2 = initializers::LeCunNormal();
  Initializer initial_bias = initializers::Constant(0);
};

// A bilinear (neural tensor) layer, functions::bilinear with parameters (R.
// Socher et al., 2013).
class Bilinear : public Callable<Bilinear> {
 public:
  using Options = BilinearOptions;

  // Throws ValueError when a size is not positive.
  Bilinear(int64_t left_size, int64_t right_size, int64_t out_size,
           const BilinearOptions& options = {});

  // e1 is (N, ...) with left_size elements per row, e2 (N, ...) with
  // right_size; the result is (N, out_size). Throws InvalidType when sizes do
  // not match.
  Variable forward(const Variable& e1, const Variable& e2);

  // The old name of zerograds.
  void zero_grads() const { zerograds(); }

  Param W;   // (left_size, right_size, out_size)
  Param V1;  // (left_size, out_size); absent with nobias, like V2 and b
  Param V2;  // (right_size, out_size)
  Param b;   // (out_size,)
};

}  // namespace catena::links
