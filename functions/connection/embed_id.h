#pragma once

#include <cstdint>
#include <optional>

#include "catena/autograd/variable.h"

namespace catena::functions {

struct EmbedIdOptions {
  NamedFieldsOnly keywords = {};
  // Elements of x equal to this label, which need not be a row of W, give zeros
  // and no gradient.
  std::optional<int64_t> ignore_label = std::nullopt;
};

// Looks up rows of W by index: y[i...] = W[x[i...]]. x is (B...), integers from
// 0 to V - 1 or ignore_label; W is (V, d), floating; y is (B..., d). Only W
// gets a gradient: gy's rows summed in the order of x, so the result does not
// depend on the number of threads. Throws InvalidType when dtypes or W's shape
// do not match, ValueError for an index out of range, which the message names
// (on CUDA when the host next waits for the device).
Variable embed_id(const Variable& x, const Variable& W,
                  const EmbedIdOptions& options = {});
Variable embed_id(const Array& x, const Variable& W,
                  const EmbedIdOptions& options = {});

}  // namespace catena::functions
