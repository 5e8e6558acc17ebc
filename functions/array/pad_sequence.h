#pragma once

#include <initializer_list>
#include <optional>
#include <span>

#include "catena/autograd/variable.h"

namespace catena::functions {

struct PadSequenceOptions {
  NamedFieldsOnly keywords = {};
  // The padded length; defaults to that of the longest sequence.
  std::optional<int64_t> length = std::nullopt;
  Scalar padding = 0;
};

// Stacks sequences (length_i, ...) into one array (B, length, ...), padded at
// the end with `padding`. Any dtype; the padding gets no gradient. Throws
// InvalidType when there are no sequences, one is 0-d, or dtypes or the other
// extents differ; ValueError when a sequence is longer than `length`.
Variable pad_sequence(std::span<const Variable> xs,
                      const PadSequenceOptions& options = {});
inline Variable pad_sequence(std::initializer_list<Variable> xs,
                             const PadSequenceOptions& options = {}) {
  return pad_sequence(std::span(xs.begin(), xs.size()), options);
}

}  // namespace catena::functions
