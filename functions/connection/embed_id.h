#pragma once

#include <cstdint>
#include <optional>

#include "catena/autograd/variable.h"

namespace catena::functions {

struct EmbedIdOptions {
  // Elements of x with this label, which need not be a row of W, give zeros and
  // no gradient.
  std::optional<int64_t> ignore_label = std::nullopt;
};

// The rows of W that x names: y[i...] = W[x[i...]]. x is (B...), integers from
// 0 to V - 1 or ignore_label; W is (V, d), floating; y is (B..., d). Only W
// gets a gradient: gy's rows added up in the order of x, the same with any
// number of threads. InvalidType when dtypes or W's shape do not fit,
// ValueError for a label out of range, which is named (on CUDA, finding it out
// waits for the device).
Variable embed_id(const Variable& x, const Variable& W,
                  const EmbedIdOptions& options = {});
Variable embed_id(const Array& x, const Variable& W,
                  const EmbedIdOptions& options = {});

}  // namespace catena::functions
