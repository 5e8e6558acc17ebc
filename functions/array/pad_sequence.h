#pragma once

#include <initializer_list>
#include <optional>
#include <span>

#include "catena/autograd/variable.h"

namespace catena::functions {

struct PadSequenceOptions {
  // The common length; that of the longest one when absent.
  std::optional<int64_t> length = std::nullopt;
  Scalar padding = 0;
};

// Sequences (length_i, ...) as one array (B, length, ...), filled up behind
// with `padding`. Any dtype; what was put in gets no gradient. InvalidType when
// there is no sequence, one has no axis, or dtypes or the other extents differ;
// ValueError when a sequence is longer than `length`.
Variable pad_sequence(std::span<const Variable> xs,
                      const PadSequenceOptions& options = {});
inline Variable pad_sequence(std::initializer_list<Variable> xs,
                             const PadSequenceOptions& options = {}) {
  return pad_sequence(std::span(xs.begin(), xs.size()), options);
}

}  // namespace catena::functions
